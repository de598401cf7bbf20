import { CatalogError } from '../item/errors.ts';

/** 1 to 255 visible ASCII characters, bare or as a quoted string. */
export const idempotencyKeyForm = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e][\x21-\x7e]{0,254}))$/;

/**
 * Parses the `Idempotency-Key` of a create or an update.
 * @param values all values of the header
 * @returns undefined if the header was not sent
 * @throws CatalogError `INVALID_REQUEST` if it is malformed or was sent more than once
 */
export function idempotencyKey(values: readonly string[]): string | undefined {
  if (values.length === 0) return undefined;
  const [value = ''] = values;
  const [, quoted, bare] = idempotencyKeyForm.exec(value) ?? [];
  const key = quoted ?? bare;
  if (values.length > 1 || key === undefined)
    throw new CatalogError('INVALID_REQUEST', { message: 'Invalid header: Idempotency-Key.' });
  return key;
}
