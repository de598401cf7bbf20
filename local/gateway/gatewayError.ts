/** API Gateway's own responses: the status and message used if the API defines no response of that type. */
export const gatewayErrors = {
  ACCESS_DENIED: { status: 403, message: 'User is not authorized to access this resource' },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: 'Internal server error' },
  AUTHORIZER_FAILURE: { status: 500, message: 'Internal server error' },
  DEFAULT_4XX: { status: 400, message: 'Bad request' },
  DEFAULT_5XX: { status: 500, message: 'Internal server error' },
  // The documentation lists 504 for this type. Clients get 502 when a function failed, and access logs name this type for
  // it. For a malformed function response only the 502 is documented; this type is an assumption.
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported Media Type' },
} as const satisfies Record<string, { status: number; message: string }>;

export type GatewayErrorType = keyof typeof gatewayErrors;

/**
 * An error to which the gateway responds itself, because no function was invoked or the function returned no valid
 * response.
 */
export class GatewayError extends Error {
  readonly type: GatewayErrorType;

  /** @param cause shown to the developer and never to the caller */
  constructor(type: GatewayErrorType, cause?: unknown) {
    super(gatewayErrors[type].message, { cause });
    this.name = 'GatewayError';
    this.type = type;
  }
}
