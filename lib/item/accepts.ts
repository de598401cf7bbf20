import * as z from 'zod/mini';
import { roundHalfUp } from './decimal.ts';
import { type ItemFields, itemTypes } from './fields.ts';
import type { JsonObject } from './json.ts';
import { limits } from './limits.ts';
import { metadataProblems } from './metadata.ts';
import {
  canonicalIdentifier,
  codePoints,
  hasControlCharacters,
  hasFormatCharacters,
  hasVisibleCharacters,
} from './text.ts';
import { malformedText, violation } from './violation.ts';

/** At most `max` code points. */
export const maxLength = (max: number, reason: string) =>
  z.refine<string>((value) => codePoints(value) <= max, violation({ reason, rule: 'max_length', limit: max }));

/** A string of at most `max` code points that has a pattern. Both rules give the same reason. */
export const text = (reason: string, max: number, hasPattern: (value: string) => boolean = () => true) =>
  z.string(reason).check(
    maxLength(max, reason),
    z.refine((value) => value.isWellFormed(), violation(malformedText)),
    z.refine(hasPattern, violation({ reason, rule: 'pattern' })),
  );

const longText = (max: number) => z.nullable(text(`must be null or a text of at most ${max} characters`, max));

/** A JSON number within its bounds (spec 8). The bounds are checked before rounding. */
const bounded = ({ min, max }: { min: number; max: number }) => {
  const reason = `must be a number from ${min} to ${max}`;
  const ofType = ({ input }: { input?: unknown }) => (typeof input === 'string' ? `${reason}, not a text` : reason);
  return z.number({ error: ofType }).check(z.gte(min, reason), z.lte(max, reason));
};

const amount = (bounds: { min: number; max: number; decimals: number }) =>
  z.pipe(
    bounded(bounds),
    z.transform((value: number) => roundHalfUp(value, bounds.decimals, bounds.max)),
  );

/** NFC shortens a text at most fourfold, so anything longer is rejected without normalizing it. */
const maxNfcFactor = 4;

const { max } = limits.identifier;

export const identifierForm = `a text of at most ${max} characters without control or invisible characters`;

/** Whether no other text looks the same. */
export const isIdentifier = (value: string): boolean =>
  hasVisibleCharacters(value) && !hasControlCharacters(value) && !hasFormatCharacters(value);

/** An identifier in its stored form, null if it is blank. */
export const identifierText = (reason: string) =>
  z.pipe(
    z.pipe(
      z.string(reason).check(
        z.refine((value) => value.isWellFormed(), violation(malformedText)),
        z.refine(
          (value) => codePoints(value.trim()) <= max * maxNfcFactor,
          violation({ reason, rule: 'max_length', limit: max }),
        ),
      ),
      z.transform(canonicalIdentifier),
    ),
    z.nullable(text(reason, max, isIdentifier)),
  );

const identifier = z.nullable(identifierText(`must be null or ${identifierForm}`));

const { name, unit } = limits;
const nameReason = `must be a text of ${name.min} to ${name.max} characters, at least one of them visible, and without control characters`;
const isId = (value: number): boolean => value > 0 && Number.isSafeInteger(value);
const categoryReason = 'must be null or the id of a category';

/** The fields in a body, in their stored form. Null instead of the metadata changes nothing. */
export type SentFields = Omit<ItemFields, 'metadata'> & { readonly metadata: JsonObject | null };

/**
 * What creates and updates accept for each field, converted to its stored form. Kept apart from the rows in `fields.ts`,
 * because functions that only read do not need it: their bundles would grow by 7 KB.
 */
export const accepts: { readonly [Name in keyof SentFields]: z.ZodMiniType<SentFields[Name]> } = {
  name: text(nameReason, name.max, (value) => !hasControlCharacters(value)).check(
    z.refine(hasVisibleCharacters, violation({ reason: nameReason, rule: 'required' })),
  ),
  type: z.enum(itemTypes, `must be ${itemTypes.join(' or ')}`),
  category: z.nullable(
    z.number(categoryReason).check(
      z.refine(Number.isInteger, violation({ reason: categoryReason, rule: 'type' })),
      z.refine(isId, violation({ reason: categoryReason, rule: 'unknown_reference' })),
      // Only for the contract, which is derived from these.
      z.int(categoryReason),
      z.gte(1, categoryReason),
    ),
  ),
  value: amount(limits.value),
  /** Not rounded here, because rounding depends on the unit. */
  qty: bounded(limits.qty),
  unit: text(`must be a registered unit of at most ${unit.max} characters`, unit.max),
  description: longText(limits.description.max),
  active: z.pipe(
    z.union([z.boolean(), z.literal([0, 1])], 'must be true, false, 1 or 0'),
    z.transform((value) => value === true || value === 1),
  ),
  cost: amount(limits.cost),
  tax: amount(limits.tax),
  sku: identifier,
  pn: identifier,
  tag: longText(limits.tag.max),
  metadata: z.nullable(
    z.custom<JsonObject>().check((payload) => {
      for (const { reason, path, ...params } of metadataProblems(payload.value))
        payload.issues.push({ code: 'custom', input: payload.value, message: reason, path: [...path], params });
    }),
  ),
};
