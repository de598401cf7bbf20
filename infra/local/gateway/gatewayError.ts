/** What API Gateway answers by itself: the status and the message it has where the API defines no response of that type. */
export const gatewayErrors = {
  ACCESS_DENIED: { status: 403, message: 'User is not authorized to access this resource' },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: 'Internal server error' },
  AUTHORIZER_FAILURE: { status: 500, message: 'Internal server error' },
  DEFAULT_4XX: { status: 400, message: 'Bad request' },
  DEFAULT_5XX: { status: 500, message: 'Internal server error' },
  // AWS's documentation lists 504 for this type, but clients get 502 of a function that failed, and access logs name this
  // type for it. Of an answer that is malformed only the 502 is documented; that it has this type is an assumption.
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  THROTTLED: { status: 429, message: 'Too Many Requests' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
} as const satisfies Record<string, { status: number; message: string }>;

export type GatewayErrorType = keyof typeof gatewayErrors;

/** A request that ends in the gateway: no function is asked, or none gives an answer. */
export class GatewayError extends Error {
  readonly type: GatewayErrorType;

  /**
   * @param type the type of the response
   * @param cause what a developer should know of it; the caller is not told
   */
  constructor(type: GatewayErrorType, cause?: unknown) {
    super(gatewayErrors[type].message, { cause });
    this.name = 'GatewayError';
    this.type = type;
  }
}
