import * as z from 'zod';
import { valueOption, wholeNumber } from '../cli/program.ts';
import { accountId, accountIdRule } from '../lib/access/accountId.ts';
import { labelForm, labelRule } from '../lib/item/configurationFields.ts';
import { parseTime, timeReason } from '../lib/item/epoch.ts';

/** The option of the account that a command works on. */
export const requiredAccount = () => accountOption().makeOptionMandatory();

/** A short text, such as a name. */
export const label = (max: number) => z.string().regex(labelForm(max), labelRule(max));

/** The option of an account, which may be left out unless the command says otherwise. */
export const accountOption = (description = 'the account') =>
  valueOption('--account <account>', description, z.string().regex(accountId, accountIdRule));

/** In days. Limited because after that long, nobody remembers who has a token. */
const maxDuration = 730;
const durationRule = `must be days or hours from now, such as 90d or 12h, and at most ${maxDuration}d`;

/** A time from now, such as `90d` or `12h`, in seconds. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,4}[dh]$/, durationRule)
  .transform((text) => Number(text.slice(0, -1)) * (text.endsWith('d') ? 86_400 : 3_600))
  .refine((seconds) => seconds <= maxDuration * 86_400, durationRule);

export const tokenId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'must be the 16 lower-case hexadecimal digits shown by token list, not the token itself');

export const tableOption = (description: string) => valueOption('--table <name>', description, z.string());

export const rateOption = () =>
  valueOption('--rate <number>', 'maximum capacity units per second to use', wholeNumber(1, 100_000)).default(500);

/** In milliseconds since 1970. */
export const pastTime = z
  .string()
  .transform((text) => parseTime(text) ?? Number.NaN)
  .refine((time) => !Number.isNaN(time), { error: timeReason, abort: true })
  .refine((time) => time < Date.now(), 'must be a time in the past');

/** Ids, or the name of a file. */
export const idsOrFile = z
  .string()
  .transform((text) => (/^[\d,]*$/.test(text) ? text.split(',').map(Number) : text))
  .refine(
    (given) => typeof given === 'string' || given.every((id) => id > 0 && Number.isSafeInteger(id)),
    'must be ids, separated by commas, or a file',
  );

export const itemIdList = idsOrFile.pipe(z.array(z.int(), 'must be ids, separated by commas'));
