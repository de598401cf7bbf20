/**
 * Every timeout of a request, in milliseconds. Each inner one is shorter than the outer one, so that the component that
 * knows the reason gives up first and can report it:
 *
 *     databaseRequest < request - transactionSettling    a transaction can be sent once more after it has settled
 *     3 databaseRequest <= batchRow < request            a row that begins can be fenced and written again after a lost response
 *     identityKeys < request                             a hanging key server is reported before the authorizer must respond
 *     request + responseMargin < function                Lambda never stops a function that is about to respond
 *     function < integration                             a cold start counts against the gateway's limit, not the function's
 */
export const timeouts = {
  /** How long API Gateway waits for a function: the maximum it allows by default. */
  integration: 29_000,
  /** Lambda's timeout for one invocation. */
  function: 10_000,
  /** One request, including all round trips and retries. */
  request: 8_000,
  /** Reserved for each row of a batch: it does not begin if there is less time left. */
  batchRow: 3_000,
  /** Reserved from the function's remaining time to send the response. */
  responseMargin: 500,
  /** DynamoDB ends an interrupted transaction within 5 s. After that, a retry gives a definite result. */
  transactionSettling: 5_200,
  /** The largest clock difference assumed between two containers. */
  clockSkew: 5_000,
  /** One request to DynamoDB and its complete response. */
  databaseRequest: 1_000,
  /** Opening a connection to DynamoDB. */
  connection: 500,
  /** Fetching the identity provider's keys, including its discovery document. */
  identityKeys: 3_000,
  /** How long API Gateway caches the authorizer's result for a token. */
  authorizerCache: 60_000,
} as const;
