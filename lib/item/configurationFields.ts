import * as z from 'zod/mini';
import { accepts } from './accepts.ts';
import { maxUnitDecimals } from './account.ts';
import { limits } from './limits.ts';
import { codePoints, controlCharacters } from './text.ts';
import { violation } from './violation.ts';

/** The form of a short text, such as a name. */
export const labelForm = (max: number): RegExp =>
  new RegExp(`^[^\\s${excluded}]([^${excluded}]{0,${max - 2}}[^\\s${excluded}])?$`, 'u');

/** A lone surrogate could not be stored as it is. */
const excluded = String.raw`${controlCharacters}\ud800-\udfff`;

export const labelRule = (max: number): string =>
  `must be 1 to ${max} characters, without control characters and without spaces around them`;

const label = (max: number) =>
  z.string(labelRule(max)).check(
    z.refine(
      (value) => codePoints(value) <= max,
      violation({ reason: labelRule(max), rule: 'max_length', limit: max }),
    ),
    z.regex(labelForm(max), labelRule(max)),
  );
const decimalsRule = `must be a whole number from 0 to ${maxUnitDecimals}`;

/** What an account's configuration accepts, from requests and in operators' documents. */
export const configurationFields = {
  category: { name: label(limits.name.max), archived: z.boolean('must be true or false') },
  unit: {
    unit: label(limits.unit.max),
    decimals: z.int(decimalsRule).check(z.gte(0, decimalsRule), z.lte(maxUnitDecimals, decimalsRule)),
  },
  defaults: { category: accepts.category, tax: accepts.tax },
} as const;
