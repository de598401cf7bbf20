import type { InvalidField } from './errors.ts';

/** Finds rows for one item or identifier. They could be written in any order, so all but the first are refused. */
export class RepeatedRows {
  readonly #rows = new Map<string, number>();
  readonly #nameOf: (row: number) => string;

  /** @param nameOf how a reason names a row by its place, such as `line 3` */
  constructor(nameOf = (row: number): string => `row ${row}`) {
    this.#nameOf = nameOf;
  }

  /** @param row its place, counted from 1 @returns what is wrong if an earlier row has the value */
  take(field: string, value: string | number, row: number): InvalidField[] {
    const key = `${field} ${value}`;
    const first = this.#rows.get(key) ?? row;
    this.#rows.set(key, first);
    return first === row ? [] : [{ field, reason: `is also in ${this.#nameOf(first)}`, rule: 'repeated', row: first }];
  }
}
