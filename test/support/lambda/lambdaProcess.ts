import { createRequire, flushCompileCache } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';

// The process of `startLambda`: runs the handler of a bundle for each event, and tells what is still under way when it has
// answered.

const { now } = Date;
let ahead = 0;
Date.now = () => now() + ahead;

process.on('message', async ({ event, clock }: { event: object; clock: number }) => {
  ahead = clock;
  const context = { awsRequestId: 'invocation', getRemainingTimeInMillis: () => 10_000 };
  const answer = await handler(event, context).then(
    (result: unknown) => ({ result }),
    ({ message }: Error) => ({ error: message }),
  );
  // Lambda's runtime sends the answer in a request of its own, while which what was closed before is gone.
  await turn().then(() => turn());
  // Connections that are kept for the next request are not listed.
  const left = process.getActiveResourcesInfo();
  for (const resource of idle) left.splice(left.indexOf(resource), 1);
  process.send?.({ ...answer, left });
});
const idle = process.getActiveResourcesInfo();
const { handler } = createRequire(import.meta.url)(process.argv[2] as string);
// It is killed in the end, before which Node would do this.
flushCompileCache();
process.send?.({ isReady: true });
