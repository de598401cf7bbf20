import * as z from 'zod';
import { accountId, accountIdRule } from '../../../lib/access/accountId.ts';
import { maxUnitDecimals } from '../../../lib/item/account.ts';
import { roundHalfUp } from '../../../lib/item/decimal.ts';
import { limits } from '../../../lib/item/limits.ts';
import { codePoints, hasControlCharacters } from '../../../lib/item/text.ts';

/** A short text, such as a name. */
export const label = (max: number) =>
  z.string().refine((text) => isLabel(text) && codePoints(text) <= max, {
    error: `must be 1 to ${max} characters, without control characters and without spaces around them`,
  });

const isLabel = (text: string): boolean => text !== '' && text === text.trim() && !hasControlCharacters(text);

/** The text of a number within bounds. */
const number = (reason: string, pattern: RegExp, min: number, max: number) =>
  z
    .string(reason)
    .regex(pattern, reason)
    .transform(Number)
    .refine((value) => value >= min && value <= max, reason);

const integer = (min: number, max: number) =>
  number(`must be a whole number from ${min} to ${max}`, /^\d{1,16}$/, min, max);

export const account = z.string().regex(accountId, accountIdRule).describe('the account');

export const category = integer(1, Number.MAX_SAFE_INTEGER).describe('the id of the category');

export const categoryName = label(limits.name.max).describe('the name of the category');

export const defaultCategory = z.union([z.literal('none').transform(() => null), category], 'must be an id or none');

export const tax = number(
  `must be a number from 0 to ${limits.tax.max}`,
  /^\d{1,6}(\.\d+)?$/,
  0,
  limits.tax.max,
).transform((value) => roundHalfUp(value, limits.tax.decimals, limits.tax.max));

export const unitDecimals = integer(0, maxUnitDecimals);

/** In days. Limited because after that long, nobody remembers who has a token. */
const maxDuration = 730;
const durationRule = `must be days or hours from now, such as 90d or 12h, and at most ${maxDuration}d`;

/** A time from now, such as `90d` or `12h`, in seconds. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,4}[dh]$/, durationRule)
  .transform((text) => Number(text.slice(0, -1)) * (text.endsWith('d') ? 86_400 : 3_600))
  .refine((seconds) => seconds <= maxDuration * 86_400, durationRule);

/** The message does not repeat an invalid value, because it may be the token itself. */
export const tokenId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'must be the 16 lower-case hexadecimal digits shown by token list, not the token itself')
  .describe('the id of the token, as shown by token list');
