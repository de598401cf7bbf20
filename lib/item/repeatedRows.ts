import type { InvalidField } from './errors.ts';

/** Finds rows for the same item or identifier. They could be written in any order, so all but the first are rejected. */
export class RepeatedRows {
  readonly #rows = new Map<string, number>();
  readonly #nameOf: (row: number) => string;

  /** @param nameOf names a row in a reason, by its place: `line 3` */
  constructor(nameOf = (row: number): string => `row ${row}`) {
    this.#nameOf = nameOf;
  }

  /** @param row its place, counted from 1 @returns the problem if an earlier row has the value */
  add(field: string, value: string | number, row: number): InvalidField[] {
    const key = `${field} ${value}`;
    const first = this.#rows.get(key) ?? row;
    this.#rows.set(key, first);
    return first === row ? [] : [{ field, reason: `is also in ${this.#nameOf(first)}`, rule: 'repeated', row: first }];
  }
}
