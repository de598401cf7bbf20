import type { GatewayResponseType } from '../template/gatewayResponses.ts';
import type { Header, StaticResponse } from '../template/readApi.ts';

/** An error to which the gateway responds itself: no function was invoked, or its response was not valid. */
export class GatewayError extends Error {
  readonly type: GatewayResponseType;

  /** @param cause shown to the developer and never to the caller */
  constructor(type: GatewayResponseType, cause?: unknown) {
    super(type, { cause });
    this.name = 'GatewayError';
    this.type = type;
  }
}

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
