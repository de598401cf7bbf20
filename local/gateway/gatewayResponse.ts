import type { Header, StaticResponse } from '../template/readApi.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
}

/** A response without a function. @param requestId the value of `context.requestId` */
export const staticResponse = ({ status, headers, body }: StaticResponse, requestId: string): HttpResponse => ({
  status,
  // Any other value is a quoted text.
  headers: headers.map(([name, value]) => [name, value.startsWith("'") ? value.slice(1, -1) : requestId]),
  body,
});
