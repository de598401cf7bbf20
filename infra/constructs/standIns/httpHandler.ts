/** Takes the place of `@smithy/node-http-handler`: the functions' client has a handler of its own, which reads answers whole. */
export const NodeHttpHandler = {
  create: <Handler>(handler: Handler): Handler => handler,
};

export const streamCollector = async (): Promise<never> => {
  throw new Error('An answer was not read whole');
};
