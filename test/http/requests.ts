import { routes } from '../../lib/http/routes.ts';
import type { JsonObject } from '../../lib/item/json.ts';

/** Headers instead of those that every request has: a value, several of one name, or undefined for none. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string | Buffer;
}

/** An object is sent as JSON, a text or bytes as they are. */
type Body = JsonObject | string | Buffer;

const bytesOf = (body: Body): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);

export const create = (body: Body, headers: Headers = {}): ApiRequest => ({
  ...routes.createItem,
  headers,
  body: bytesOf(body),
});

/** @param id the item's id, or whatever stands for it in the path */
export const update = (id: number | string, body: Body, headers: Headers = {}): ApiRequest => ({
  method: routes.updateItem.method,
  path: routes.updateItem.path.replace('{id}', () => String(id)),
  headers,
  body: bytesOf(body),
});

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
