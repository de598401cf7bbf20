import type { JsonObject } from '../../lib/item/json.ts';
import type { ApiRequest } from '../support/api/apiRequests.ts';

/** Records as a version of the service wrote them, and its responses to requests that were sent after that. */
export interface Fixture {
  /** Without the prefix by which secret scanners would find them. */
  readonly tokens: Readonly<Record<Holder, string>>;
  readonly records: readonly JsonObject[];
  readonly exchanges: readonly { readonly by: Holder; readonly request: ApiRequest; readonly answer: Answer }[];
}

type Holder = 'editor' | 'reader';

/** The part of a response that no version may change. The reasons in an error are text for people. */
interface Answer {
  readonly status: number;
  readonly headers: JsonObject;
  readonly body: JsonObject;
}

const comparedHeaders = ['etag', 'location', 'idempotency-replayed'];

/** @param token without its prefix */
export async function ask(url: string, token: string, { method, path, headers, body }: ApiRequest): Promise<Answer> {
  const own = { 'content-type': 'application/json', authorization: `Bearer cat_${token}` };
  const response = await fetch(url + path, {
    method,
    headers: { ...(headers as Record<string, string>), ...own },
    body: (body as string | undefined) ?? null,
  });
  const compared = comparedHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    status: response.status,
    headers: Object.fromEntries(compared),
    body: (await response.json()) as JsonObject,
  };
}
