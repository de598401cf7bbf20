import type { IdentifierName } from '../../lib/item/fields.ts';
import type { Schemas } from '../http/catalogClient.ts';
import type { Row, RowError } from './rows.ts';

export interface RowLook {
  /**
   * `new`, `changed` and `returning` are written. `returning` was created from an equal row within a day, and has been made
   * inactive since: it gets the row's values again. `known` was, too, and is left as it is. `done` was written before by an
   * import that goes on.
   */
  readonly verdict: 'new' | 'changed' | 'returning' | 'unchanged' | 'known' | 'refused' | 'done';
  /** The item, with its revision. */
  readonly id?: number | undefined;
  readonly revision?: number | undefined;
  /** What would change in it, except what the user may not see. Values above 1 KB are omitted. */
  readonly changes?: readonly Schemas['FieldChange'][] | undefined;
  /** Why it is refused, with the status of the same row in a request of its own. */
  readonly error?: RowError | undefined;
  readonly status?: number | undefined;
  /** What may not be meant. */
  readonly warning?: LookWarning | undefined;
  /** What is written instead of the row. */
  readonly row?: Row;
  /** Of the creation of a new item. */
  readonly key?: string | undefined;
  /** Whether it may have been written before, so that only its item as it was then is updated. */
  readonly isUnderWay?: boolean;
}

/** What may not be meant by a row; `text` is the rest of a sentence that begins with the row. */
export type LookWarning = { readonly text: string } & (
  | { readonly rule: 'made_before'; readonly item: number }
  | { readonly rule: 'total' }
  | {
      readonly rule: 'differs_in_case';
      readonly field: IdentifierName;
      /** That of the item. */
      readonly code: string;
      readonly item: number;
    }
);
