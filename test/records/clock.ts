/**
 * Sets this process's clock, and must be imported before the code that uses it. The records are written at the
 * beginning of a day that is far away, so that the engine never deletes them as expired, and are tested an hour later,
 * on whichever day that happens.
 */
const start = Date.UTC(2100, 0, 1, process.env['VITEST'] === undefined ? 0 : 1);
const { now } = Date;
const ahead = start - now();
Date.now = () => now() + ahead;

export {};
