import type { ApiRequest } from '../support/apiRequests.ts';
import type { Refusal } from '../support/refusals.ts';

/** What refused requests can refer to. */
export interface Target {
  /** An item of the first account, at revision 2. */
  readonly item: number;
  /** An item of the second account, with an id that the first has not. */
  readonly foreignItem: number;
  /** An `Idempotency-Key` under which the first account's editor has created `{"name":"Chair"}`. */
  readonly key: string;
  readonly tokens: {
    readonly editor: string;
    readonly reader: string;
    readonly otherAccount: string;
    /** Of the form and with the checksum of a token, but never issued. */
    readonly unknown: string;
    readonly wrongChecksum: string;
    readonly revoked: string;
    readonly expired: string;
  };
}

/** A request that must be refused, and how. */
export interface RefusedCase extends Refusal {
  readonly title: string;
  readonly request: (target: Target) => ApiRequest;
}
