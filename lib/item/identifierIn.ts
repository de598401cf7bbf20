import { accepts } from './accepts.ts';
import type { InvalidField } from './errors.ts';
import type { IdentifierName } from './fields.ts';
import type { JsonObject } from './json.ts';
import type { RepeatedRows } from './repeatedRows.ts';

/** An identifier in a body, in its stored form. Undefined if there is none, or it is not valid. */
export const identifierIn = (body: JsonObject, name: IdentifierName): string | null | undefined =>
  accepts[name].safeParse(body[name]).data;

/** What is wrong with a row because another one has the same of these identifiers. */
export const repeatedIdentifiers = (
  repeated: RepeatedRows,
  body: JsonObject,
  names: readonly IdentifierName[],
  row: number,
): InvalidField[] =>
  names.flatMap((name) => {
    const text = identifierIn(body, name);
    return typeof text === 'string' ? repeated.take(name, text, row) : [];
  });
