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
  // An API cannot change these three. AWS does not document them. They are as people have reported them, the last one
  // where an event is too large for Lambda.
  BODY_TOO_LONG: { status: 413, message: 'HTTP content length exceeded 10485760 bytes.', fixed: 'text' },
  HEADERS_TOO_LONG: { status: 431, message: 'HTTP header is larger than 10240 bytes.', fixed: 'text' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long', fixed: 'JSON' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported Media Type' },
} as const satisfies Record<string, { status: number; message: string; fixed?: 'text' | 'JSON' }>;

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
