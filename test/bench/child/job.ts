import type { StubAnswer } from './stubNetwork.ts';

/** Stands in events for the number of a request, by which what it creates is unique, and for the id of its item. */
export const placeholders = { number: '4242424242', id: '4343434343' } as const;

/** The id of the item that a request is about: one request after another asks for items all over the account. */
export const itemOf = (number: number, items: number): number => 1 + ((number * 7_919) % items);

/** A request to a function. */
export interface FunctionRequest {
  readonly bundle: string;
  /** The event as JSON, with its body in the clear, and {@link placeholders}. */
  readonly event: string;
  /** The status that it must be answered with; undefined: the function answers no HTTP. */
  readonly status: number | undefined;
}

/** What a child process does, told by a file. */
export interface Job {
  /** What is loaded first, and how long that takes is measured. */
  readonly bundle: string;
  /** Requests to functions, by operation; left out: the bundle exports the operations as functions of a number. */
  readonly requests?: Readonly<Record<string, FunctionRequest>>;
  /** Left out: the network is as it is. */
  readonly answers?: readonly StubAnswer[];
  /** How many items there are to ask for, from the id 1. */
  readonly items: number;
  /** The request whose first run is measured; left out: none. */
  readonly first?: string;
}

/** What some work took. */
export interface Cost {
  /** In milliseconds. */
  readonly time: number;
  /** Of the whole process, in milliseconds of CPU. */
  readonly cpu: number;
}

/** In bytes, after garbage collection. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

/** What a process tells about its start. */
export interface Start {
  readonly init: Cost;
  readonly memory: Memory;
  readonly first: Cost | undefined;
}

/** Asks a process to run requests. */
export interface Turn {
  readonly operation: string;
  /** The number of the first; each has the next. */
  readonly from: number;
  readonly count: number;
  /** How many are under way at a time. */
  readonly clients: number;
}

/** What a turn took: all of it, and each request, in milliseconds. */
export interface TurnResult extends Cost {
  readonly latencies: readonly number[];
  readonly memory: Memory;
}
