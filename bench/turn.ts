/** Stands in events for the number of a request, which makes what it creates unique, and for the id of its item. */
export const placeholders = { number: '4242424242', id: '4343434343' } as const;

/** The id of the item that a request is about, one of those that exist, in an order that jumps around. */
export const itemOf = (number: number): number => 1 + ((number * 7_919) % Number(process.env['BENCH_ITEMS'] ?? 1));

/** A request to a bundle: an event for its handler or, without an event, the operation that it exports. */
export interface Request {
  readonly operation: string;
  /** As JSON with {@link placeholders}, and its body in the clear. */
  readonly event?: string;
  /** The expected status of the response, if it has one. */
  readonly status?: number;
}

/** A request, repeated one after another with increasing numbers. */
export interface Turn extends Request {
  readonly from: number;
  readonly count: number;
}

/** What a request of a turn costs, in microseconds. */
export interface Cost {
  /** Of the whole process, the mean. */
  readonly cpu: number;
}

/** What loading a bundle took. */
export interface Start {
  /** Of the whole process, in microseconds. */
  readonly cpu: number;
  /** Resident memory afterwards, in bytes. */
  readonly memory: number;
}
