import { type Forwarding, forward } from './forward.ts';

/** A process of its own, which stays when the command that started it ends. It is told what to do as JSON. */
const { ended } = await forward(JSON.parse(process.argv[2] ?? '') as Forwarding);
process.send?.('listening');
await ended;
