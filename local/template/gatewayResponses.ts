/** The types of API Gateway's own responses that the local gateway sends. The template says what is in each. */
export const gatewayResponseTypes = [
  'ACCESS_DENIED',
  'AUTHORIZER_CONFIGURATION_ERROR',
  'AUTHORIZER_FAILURE',
  'DEFAULT_4XX',
  'DEFAULT_5XX',
  // Access logs name this type for a function that failed. For a malformed function response it is an assumption.
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
  'MISSING_AUTHENTICATION_TOKEN',
  'UNAUTHORIZED',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

const textType = ['content-type', "'text; charset=utf-8'"] as const;

/**
 * Responses that an API cannot change. AWS does not document them. They are as people have reported them, the last one
 * where an event is too large for Lambda.
 */
export const fixedResponses = {
  BODY_TOO_LONG: { status: 413, headers: [textType], body: 'HTTP content length exceeded 10485760 bytes.' },
  HEADERS_TOO_LONG: { status: 431, headers: [textType], body: 'HTTP header is larger than 10240 bytes.' },
  REQUEST_TOO_LARGE: {
    status: 413,
    headers: [['content-type', "'application/json'"]],
    body: '{"message":"Request Too Long"}',
  },
} as const;

export type GatewayResponseType = (typeof gatewayResponseTypes)[number] | keyof typeof fixedResponses;
