/** Replaces `@smithy/node-http-handler`. The functions' client has its own handler, which reads whole answers. */
export const NodeHttpHandler = {
  create: <Handler>(handler: Handler): Handler => handler,
};

export const streamCollector = async (): Promise<never> => {
  throw new Error('An answer was not read whole');
};
