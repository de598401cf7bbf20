import type { TokenRefusal } from '../access/authorize.ts';
import type { RequestStats } from '../catalog/requestContext.ts';
import type { ErrorCode } from '../item/errors.ts';
import type { Operation } from './operations.ts';

/** The facts logged and counted for a request: a closed list, which never includes a token or a caller's text. */
export interface Observation {
  readonly requestId: string;
  readonly operation: Operation | 'authorizer';
  /** Undefined if the caller was not identified. */
  readonly account: string | undefined;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** Why the token was refused, and what it names: the only text of a caller that is logged. */
  readonly refusal?: TokenRefusal | undefined;
  /** Whether a user of the identity provider was refused; undefined for other callers. */
  readonly refusedUser?: boolean | undefined;
  readonly replayed: boolean;
  /** In milliseconds. */
  readonly duration: number;
  /** The database cost of the request; undefined if it failed before a request context existed. */
  readonly stats: RequestStats | undefined;
  /** The defect or outage that caused the error, or that of a row of a batch, if any. */
  readonly cause: unknown;
  /** The number of rows of a batch by their outcomes, such as `created` or an error's code. */
  readonly rows?: Readonly<Record<string, number>>;
  readonly isDryRun?: boolean;
}

export type Observe = (observation: Observation) => void;
