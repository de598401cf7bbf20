import { type Forwarding, forward } from './forward.ts';

/** A separate process that outlives the command that started it. Its argument is a `Forwarding` as JSON. */
const { ended } = await forward(JSON.parse(process.argv[2] ?? '') as Forwarding);
process.send?.('listening');
await ended;
