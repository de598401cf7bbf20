/**
 * Every time limit of a request, in milliseconds. Read by the functions, the store and the stack.
 *
 * The inner limit must be the shorter one, so that the side that knows the reason gives up first and can say it:
 *
 *     exchange < request - transactionSettling    a transaction can be sent once more after it has settled
 *     identityKeys < request                      a key server that hangs is told of before the authorizer must answer
 *     request + closing < function                Lambda never stops a function that is about to answer
 *     function < integration                      a cold start counts for the gateway but not for the function
 */
export const timeouts = {
  /** API Gateway's wait for a function; the most that it allows by default. */
  integration: 29_000,
  /** Lambda's limit for one invocation. */
  function: 10_000,
  /** One request, with all of its round trips and retries. */
  request: 8_000,
  /** What a function keeps of its remaining time to send its answer. */
  closing: 500,
  /** DynamoDB completes or rolls back an interrupted transaction within 5 s; after that, asking again gives a definite answer. */
  transactionSettling: 5_200,
  /** How far the clocks of two containers may differ. */
  clockSkew: 5_000,
  /** One message to DynamoDB and its complete answer. */
  exchange: 1_000,
  /** Opening a connection to DynamoDB. */
  connection: 500,
  /** Fetching the identity provider's keys, its discovery document included. */
  identityKeys: 3_000,
  /** How long API Gateway keeps an authorizer's answer for a token. */
  authorizerCache: 60_000,
} as const;
