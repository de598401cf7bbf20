import type { Violation } from './violation.ts';

/**
 * Finds the rows of a file or a batch that are for the same item or identifier. They could be written in any order, so
 * all but the first are refused. Browsers share it.
 */
export class RepeatedRows {
  readonly #places = new Map<string, string>();

  /**
   * @param place the row's, such as `line 3`
   * @returns what is wrong if another row has the value
   */
  take(field: string, value: string | number, place: string): (Violation & { field: string })[] {
    const key = `${field} ${value}`;
    const first = this.#places.get(key) ?? place;
    this.#places.set(key, first);
    return first === place ? [] : [{ field, reason: `is also in ${first}`, rule: 'repeated' }];
  }
}
