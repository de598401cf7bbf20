import { accepts } from './accepts.ts';
import type { InvalidField } from './errors.ts';
import type { IdentifierName } from './fields.ts';
import type { JsonObject } from './json.ts';

/** An identifier in a body, in its stored form. Undefined if there is none, or it is not valid. */
export const identifierIn = (body: JsonObject, name: IdentifierName): string | null | undefined =>
  accepts[name].safeParse(body[name]).data;

/**
 * Finds the rows of a file or a batch that are for the same item or identifier. They could be written in any order, so
 * all but the first are refused.
 */
export class RepeatedRows {
  readonly #places = new Map<string, string>();

  /**
   * @param place the row's, such as `line 3`
   * @returns what is wrong if another row has the value
   */
  take(field: string, value: string | number, place: string): InvalidField[] {
    const key = `${field} ${value}`;
    const first = this.#places.get(key) ?? place;
    this.#places.set(key, first);
    return first === place ? [] : [{ field, reason: `is also in ${first}`, rule: 'repeated' }];
  }

  /** The same for these identifiers of a body. */
  takeIdentifiers(body: JsonObject, names: readonly IdentifierName[], place: string): InvalidField[] {
    return names.flatMap((name) => {
      const text = identifierIn(body, name);
      return typeof text === 'string' ? this.take(name, text, place) : [];
    });
  }
}
