import type { RequestStats } from '../catalog/requestContext.ts';
import type { ErrorCode } from '../item/errors.ts';
import type { Operation } from './routes.ts';

/**
 * What is recorded of each request, for the log and the metrics. It is a closed list, without tokens and without anything
 * that a caller typed.
 */
export interface Observation {
  /** The gateway's id of the request. */
  readonly requestId: string;
  readonly operation: Operation | 'authorizer';
  /** Undefined when nobody was identified. */
  readonly account: string | undefined;
  readonly status: number;
  /** Undefined when the request was fulfilled. */
  readonly code: ErrorCode | undefined;
  /** Whether the answer is that of an earlier request with the same key. */
  readonly replayed: boolean;
  /** In milliseconds. */
  readonly duration: number;
  /** What the request cost; undefined when it did not come as far as the database. */
  readonly stats: RequestStats | undefined;
  /** The defect or outage behind a refusal, where there is one. */
  readonly cause: unknown;
}

export type Observe = (observation: Observation) => void;
