import * as z from 'zod/mini';
import { accepts, isIdentifier, maxLength } from './accepts.ts';
import { maxUnitDecimals } from './account.ts';
import { limits } from './limits.ts';
import { controlCharacters, hasVisibleCharacters } from './text.ts';
import { malformedText, violation } from './violation.ts';

export const labelForm = (max: number): RegExp =>
  new RegExp(`^[^\\s${excluded}]([^${excluded}]{0,${max - 2}}[^\\s${excluded}])?$`, 'u');

/** A lone surrogate could not be stored as it is. */
const excluded = String.raw`${controlCharacters}\ud800-\udfff`;

export const labelRule = (max: number): string =>
  `must be 1 to ${max} characters, without control characters and without spaces around them`;

const label = (max: number) =>
  z.string(labelRule(max)).check(
    maxLength(max, labelRule(max)),
    z.refine((value) => value !== '', violation({ reason: labelRule(max), rule: 'required' })),
    z.refine((value) => value.isWellFormed(), violation(malformedText)),
    z.regex(labelForm(max), { error: labelRule(max), abort: true }),
  );
const decimalsRule = `must be a whole number from 0 to ${maxUnitDecimals}`;

const unitForm = `must be 1 to ${limits.unit.max} characters in NFC, without control or invisible characters`;

/** What the members of an account's configuration accept. */
export const configurationFields = {
  category: {
    name: label(limits.categoryName.max).check(
      z.refine(hasVisibleCharacters, violation({ reason: 'must have a visible character', rule: 'required' })),
    ),
    archived: z.boolean('must be true or false'),
  },
  unit: {
    /** Converted to its stored form. */
    unit: z.pipe(
      z.pipe(
        label(limits.unit.max),
        z.transform((sent) => sent.normalize('NFC')),
      ),
      z
        .string()
        .check(
          maxLength(limits.unit.max, unitForm),
          z.refine(isIdentifier, violation({ reason: unitForm, rule: 'pattern' })),
        ),
    ),
    decimals: z
      .number(decimalsRule)
      .check(
        z.gte(0, { error: decimalsRule, abort: true }),
        z.lte(maxUnitDecimals, { error: decimalsRule, abort: true }),
        z.int(decimalsRule),
      ),
  },
  defaults: { category: accepts.category, tax: accepts.tax },
} as const;
