import type { GatewayResponseType } from '../template/gatewayResponses.ts';

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
