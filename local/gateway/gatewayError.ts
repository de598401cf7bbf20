import type { GatewayResponseType } from '../template/gatewayResponses.ts';

/**
 * An error to which the gateway responds itself, because no function was invoked or the function returned no valid
 * response.
 */
export class GatewayError extends Error {
  readonly type: GatewayResponseType;

  /** @param cause shown to the developer and never to the caller */
  constructor(type: GatewayResponseType, cause?: unknown) {
    super(type, { cause });
    this.name = 'GatewayError';
    this.type = type;
  }
}
