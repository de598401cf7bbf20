import * as z from 'zod';
import { permissions } from '../../../lib/access/permissions.ts';
import { timeouts } from '../../../lib/catalog/timeouts.ts';
import type { Account } from '../../../lib/item/account.ts';
import { limits } from '../../../lib/item/limits.ts';
import * as registry from '../../../lib/operator/accounts.ts';
import { issueToken, listTokens, revokeToken } from '../../../lib/operator/tokens.ts';
import { columns } from './columns.ts';
import {
  account,
  category,
  categoryName,
  defaultCategory,
  duration,
  label,
  tax,
  tokenId,
  unitDecimals,
} from './options.ts';
import type { Subcommand } from './subcommand.ts';
import { subcommand } from './subcommand.ts';

/** How long API Gateway caches the authorizer's result for a token. */
const cacheSeconds = timeouts.authorizerCache / 1000;

const date = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** An account's categories, sorted by id. */
function categoriesOf({ categories }: Account) {
  const data = [...categories].map(([id, { name, archived }]) => ({ id, name, archived })).sort((a, b) => a.id - b.id);
  const rows = data.map(({ id, name, archived }) => [id, archived ? 'archived' : 'open', name]);
  return { data, text: columns([['id', 'state', 'name'], ...rows]) };
}

/** An account's units. */
const unitsOf = ({ units }: Account) => ({
  data: [...units].map(([unit, decimals]) => ({ unit, decimals })),
  text: columns([['unit', 'decimals'], ...units]),
});

/** Everything that operators can do with accounts and tokens. */
export const subcommands: readonly Subcommand[] = [
  subcommand({
    name: 'account create',
    summary: 'Opens an account with the default units.',
    options: z.object({ account }),
    run: async (session, values) => {
      await registry.openAccount(session, values.account);
      const next =
        'Next, set its default category (category add, then defaults set), which items get if their request names none.';
      return { text: `The account ${values.account} is open.\n${next}`, data: { account: values.account } };
    },
  }),
  subcommand({
    name: 'account show',
    summary: 'Shows the defaults, categories and units of an account.',
    options: z.object({ account }),
    run: async (session, values) => {
      const found = await registry.showAccount(session, values.account);
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
  subcommand({
    name: 'defaults set',
    summary: 'Sets the default category and tax, for new items whose request names none.',
    options: z
      .object({
        account,
        category: defaultCategory.optional().describe('the id of the default category, or none'),
        tax: tax.optional().describe('the default tax'),
      })
      .refine((given) => given.category !== undefined || given.tax !== undefined, 'Give --category, --tax, or both.'),
    run: async (session, values) => {
      const { category: id, tax: amount } = values;
      const defaults = { ...(id !== undefined && { category: id }), ...(amount !== undefined && { tax: amount }) };
      await registry.setDefaults(session, values.account, defaults);
      return {
        text: `The defaults of the account ${values.account} were set.`,
        data: { account: values.account, ...defaults },
      };
    },
  }),
  subcommand({
    name: 'category add',
    summary: 'Adds a category with the next id.',
    options: z.object({ account, name: categoryName }),
    run: async (session, values) => {
      const id = await registry.addCategory(session, values.account, values.name);
      return { text: `Category ${id} was added.`, data: { id, name: values.name, archived: false } };
    },
  }),
  subcommand({
    name: 'category rename',
    summary: 'Renames a category. Responses show the new name within a minute.',
    options: z.object({ account, category, name: categoryName }),
    run: async (session, values) => {
      await registry.renameCategory(session, values.account, values.category, values.name);
      return { text: `Category ${values.category} was renamed.`, data: { id: values.category, name: values.name } };
    },
  }),
  subcommand({
    name: 'category archive',
    summary: 'Archives a category. Items keep it, but within a minute it can no longer be chosen.',
    options: z.object({ account, category }),
    run: async (session, values) => {
      await registry.archiveCategory(session, values.account, values.category);
      return { text: `Category ${values.category} was archived.`, data: { id: values.category, archived: true } };
    },
  }),
  subcommand({
    name: 'category list',
    summary: 'Lists the categories of an account.',
    options: z.object({ account }),
    run: async (session, values) => categoriesOf(await registry.showAccount(session, values.account)),
  }),
  subcommand({
    name: 'unit add',
    summary: 'Registers a unit. It cannot be changed later, because quantities are rounded to its decimals.',
    options: z.object({
      account,
      unit: label(limits.unit.max).describe('the unit, as used in items'),
      decimals: unitDecimals.describe('the number of decimals of quantities in this unit'),
    }),
    run: async (session, { account: id, unit, decimals }) => {
      await registry.addUnit(session, id, unit, decimals);
      return { text: `The unit ${unit} was registered.`, data: { unit, decimals } };
    },
  }),
  subcommand({
    name: 'unit list',
    summary: 'Lists the units of an account.',
    options: z.object({ account }),
    run: async (session, values) => unitsOf(await registry.showAccount(session, values.account)),
  }),
  subcommand({
    name: 'token issue',
    summary: 'Issues an access token and shows it once.',
    options: z.object({
      account,
      user: label(limits.name.max).describe('the user that the token is for'),
      permission: z
        .array(z.enum(permissions, `must be ${permissions.join(' or ')}`))
        .default([])
        .describe(`${permissions.join(' or ')}; repeat the option for both, or omit it for a token that only reads`),
      expires: duration.describe('when it expires: days or hours from now, such as 90d or 12h'),
    }),
    run: async (session, values) => {
      const now = Date.now();
      const caller = {
        account: values.account,
        user: values.user,
        permissions: [...new Set(values.permission)],
        expiresAt: Math.floor(now / 1000) + values.expires,
      };
      const { token, entry } = await issueToken(session, caller, now);
      const allowed = caller.permissions.length === 0 ? ' It can only read, without costs.' : '';
      const text = `${token}\n\nThe token is not shown again.${allowed} It expires ${date(entry.expiresAt)}. Its id is ${entry.id}; revoke it by this id.`;
      return { text, data: { token, id: entry.id, expires: date(entry.expiresAt) } };
    },
  }),
  subcommand({
    name: 'token list',
    summary: "Lists the ids, users, permissions and expiry of an account's tokens.",
    options: z.object({ account }),
    run: async (session, values) => {
      await registry.showAccount(session, values.account);
      const entries = await listTokens(session, values.account);
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
  subcommand({
    name: 'token revoke',
    summary: `Revokes a token. It may still work for up to ${cacheSeconds} s.`,
    options: z.object({ account, id: tokenId }),
    run: async (session, values) => {
      await revokeToken(session, values.account, values.id);
      const text = `The token ${values.id} was revoked. It may still work for up to ${cacheSeconds} s, while API Gateway caches the authorizer's result.`;
      return { text, data: { id: values.id, revoked: true } };
    },
  }),
];
