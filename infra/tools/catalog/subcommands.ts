import * as z from 'zod';
import { permissions } from '../../../lib/access/permissions.ts';
import type { Account } from '../../../lib/item/account.ts';
import { maxUnitDecimals } from '../../../lib/item/account.ts';
import { roundHalfUp } from '../../../lib/item/decimal.ts';
import { limits } from '../../../lib/item/limits.ts';
import { codePoints, hasControlCharacters } from '../../../lib/item/text.ts';
import * as registry from '../../../lib/operator/accounts.ts';
import { accountId, accountIdRule } from '../../../lib/operator/accounts.ts';
import { issueToken, listTokens, revokeToken } from '../../../lib/operator/tokens.ts';
import type { Command } from './subcommand.ts';
import { columns, command } from './subcommand.ts';

const label = (max: number) =>
  z.string().refine((text) => isLabel(text) && codePoints(text) <= max, {
    error: `must be 1 to ${max} characters, without control characters and without blanks around them`,
  });

const isLabel = (text: string): boolean => text !== '' && text === text.trim() && !hasControlCharacters(text);

/** A number as it is written, between bounds. */
const number = (reason: string, pattern: RegExp, min: number, max: number) =>
  z
    .string(reason)
    .regex(pattern, reason)
    .transform(Number)
    .refine((value) => value >= min && value <= max, reason);

const integer = (min: number, max: number) =>
  number(`must be a whole number from ${min} to ${max}`, /^\d{1,16}$/, min, max);

const account = z.string().regex(accountId, accountIdRule).describe('the account');
const category = integer(1, Number.MAX_SAFE_INTEGER).describe('the id of the category');
const categoryName = label(limits.name.max).describe('the name of the category');
const defaultCategory = z.union([z.literal('none').transform(() => null), category], 'must be an id or none');
const tax = number(`must be a number from 0 to ${limits.tax.max}`, /^\d{1,6}(\.\d+)?$/, 0, limits.tax.max).transform(
  (value) => roundHalfUp(value, limits.tax.decimals, limits.tax.max),
);

/** Nobody remembers a token for longer. */
const mostDays = 730;
const durationRule = `must be days or hours from now, as 90d or 12h, and at most ${mostDays}d`;

/** A time from now, as `90d` or `12h`, in seconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,4}[dh]$/, durationRule)
  .transform((text) => Number(text.slice(0, -1)) * (text.endsWith('d') ? 86_400 : 3_600))
  .refine((seconds) => seconds <= mostDays * 86_400, durationRule);

/** What is given instead is not repeated to the person: it may be the token. */
const tokenId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'must be the 16 lower-case hexadecimal digits that token list shows, not the token itself')
  .describe('the id of the token, as token list shows it');

const date = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The categories of an account in the order of their ids, for programs and for people. */
function categoriesOf({ categories }: Account) {
  const data = [...categories].map(([id, { name, archived }]) => ({ id, name, archived })).sort((a, b) => a.id - b.id);
  const rows = data.map(({ id, name, archived }) => [id, archived ? 'archived' : 'open', name]);
  return { data, text: columns([['id', 'state', 'name'], ...rows]) };
}

/** The units of an account, for programs and for people. */
const unitsOf = ({ units }: Account) => ({
  data: [...units].map(([unit, decimals]) => ({ unit, decimals })),
  text: columns([['unit', 'decimals'], ...units]),
});

/** Everything an operator can do to accounts and tokens. */
export const commands: readonly Command[] = [
  command({
    name: 'account create',
    summary: 'Opens an account with the initial units.',
    options: z.object({ account }),
    run: async (database, work, values) => {
      await registry.openAccount(database, work, values.account);
      return { text: `The account ${values.account} is open.`, data: { account: values.account } };
    },
  }),
  command({
    name: 'account show',
    summary: 'Shows an account with its defaults, categories and units.',
    options: z.object({ account }),
    run: async (database, work, values) => {
      const found = await registry.showAccount(database, work, values.account);
      const { id, defaultCategory: byDefault, defaultTax } = found;
      const [categories, units] = [categoriesOf(found), unitsOf(found)];
      const overview = columns([
        ['account', id],
        ['default category', byDefault ?? 'none'],
        ['default tax', defaultTax],
      ]);
      return {
        text: [overview, categories.text, units.text].join('\n\n'),
        data: { account: id, defaultCategory: byDefault, defaultTax, categories: categories.data, units: units.data },
      };
    },
  }),
  command({
    name: 'defaults set',
    summary: 'Sets what creates take that name no category or tax.',
    options: z
      .object({
        account,
        category: defaultCategory.optional().describe('the id of the default category, or none'),
        tax: tax.optional().describe('the default tax'),
      })
      .refine(
        (given) => given.category !== undefined || given.tax !== undefined,
        'Name a --category, a --tax, or both.',
      ),
    run: async (database, work, values) => {
      const { category: id, tax: amount } = values;
      const defaults = { ...(id !== undefined && { category: id }), ...(amount !== undefined && { tax: amount }) };
      await registry.setDefaults(database, work, values.account, defaults);
      return {
        text: `The defaults of the account ${values.account} are set.`,
        data: { account: values.account, ...defaults },
      };
    },
  }),
  command({
    name: 'category add',
    summary: 'Adds a category under the next id.',
    options: z.object({ account, name: categoryName }),
    run: async (database, work, values) => {
      const id = await registry.addCategory(database, work, values.account, values.name);
      return { text: `Category ${id} is added.`, data: { id, name: values.name, archived: false } };
    },
  }),
  command({
    name: 'category rename',
    summary: 'Renames a category; responses show the new name within a minute.',
    options: z.object({ account, category, name: categoryName }),
    run: async (database, work, values) => {
      await registry.renameCategory(database, work, values.account, values.category, values.name);
      return { text: `Category ${values.category} is renamed.`, data: { id: values.category, name: values.name } };
    },
  }),
  command({
    name: 'category archive',
    summary: 'Archives a category: items keep it, but within a minute none can choose it.',
    options: z.object({ account, category }),
    run: async (database, work, values) => {
      await registry.archiveCategory(database, work, values.account, values.category);
      return { text: `Category ${values.category} is archived.`, data: { id: values.category, archived: true } };
    },
  }),
  command({
    name: 'category list',
    summary: 'Lists the categories of an account.',
    options: z.object({ account }),
    run: async (database, work, values) => categoriesOf(await registry.showAccount(database, work, values.account)),
  }),
  command({
    name: 'unit add',
    summary: 'Registers a unit; it cannot be changed later, for items are rounded by it.',
    options: z.object({
      account,
      unit: label(limits.unit.max).describe('the unit, as items name it'),
      decimals: integer(0, maxUnitDecimals).describe('how many decimals a quantity has in it'),
    }),
    run: async (database, work, { account: id, unit, decimals }) => {
      await registry.addUnit(database, work, id, unit, decimals);
      return { text: `The unit ${unit} is registered.`, data: { unit, decimals } };
    },
  }),
  command({
    name: 'unit list',
    summary: 'Lists the units of an account.',
    options: z.object({ account }),
    run: async (database, work, values) => unitsOf(await registry.showAccount(database, work, values.account)),
  }),
  command({
    name: 'token issue',
    summary: 'Issues an access token, and shows it this once.',
    options: z.object({
      account,
      user: label(limits.name.max).describe('the user that the token speaks for'),
      permission: z
        .array(z.enum(permissions, `must be ${permissions.join(' or ')}`), 'must be given at least once')
        .describe(`${permissions.join(' or ')}; give it once for each`),
      expires: duration.describe('when it ends, in days or hours from now, as 90d or 12h'),
    }),
    run: async (database, work, values) => {
      const now = Date.now();
      const caller = {
        account: values.account,
        user: values.user,
        permissions: [...new Set(values.permission)],
        expiresAt: Math.floor(now / 1000) + values.expires,
      };
      const { token, entry } = await issueToken(database, work, caller, now);
      const text = `${token}\n\nThis is the only time the token is shown. It ends ${date(entry.expiresAt)}; its id, by which it is revoked, is ${entry.id}.`;
      return { text, data: { token, id: entry.id, expires: date(entry.expiresAt) } };
    },
  }),
  command({
    name: 'token list',
    summary: 'Lists the tokens of an account, without the tokens themselves.',
    options: z.object({ account }),
    run: async (database, work, values) => {
      await registry.showAccount(database, work, values.account);
      const entries = await listTokens(database, work, values.account);
      const data = entries.map(({ id, user, permissions: granted, issuedAt, expiresAt }) => ({
        id,
        user,
        permissions: granted,
        issued: date(issuedAt),
        expires: date(expiresAt),
      }));
      const rows = data.map((entry) => [entry.id, entry.user, entry.expires, entry.permissions.join(' ')]);
      return { text: columns([['id', 'user', 'expires', 'permissions'], ...rows]), data };
    },
  }),
  command({
    name: 'token revoke',
    summary: 'Revokes a token; the gateway may let it in for up to a minute more.',
    options: z.object({ account, id: tokenId }),
    run: async (database, work, values) => {
      await revokeToken(database, work, values.account, values.id);
      const text = `The token ${values.id} is revoked. The gateway keeps the authorizer's answers for up to 60 s, and may let it in for as long.`;
      return { text, data: { id: values.id, revoked: true } };
    },
  }),
];
