import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { issueToken, openAccount, showAccount } from '../admin/accounts/accounts.ts';
import { localClientConfig } from '../cli/localCredentials.ts';
import type { DemoTokens } from '../cli/localService.ts';
import { CommandError } from '../cli/print.ts';
import type { Permission } from '../lib/access/caller.ts';
import { timedContext } from '../lib/catalog/requestContext.ts';
import { configureAccount } from '../lib/store/catalog/configureAccount.ts';
import { findToken } from '../lib/store/catalog/findToken.ts';
import type { TimedSession } from '../lib/store/database/database.ts';
import { openDatabase } from '../lib/store/sdk/connect.ts';

const callers: Record<keyof DemoTokens, { account: string; user: string; permissions: Permission[] }> = {
  editor: { account: 'demo-1', user: 'editor', permissions: ['catalog:edit', 'catalog:cost:read'] },
  editorWithoutCost: { account: 'demo-1', user: 'editor-without-cost', permissions: ['catalog:edit'] },
  reader: { account: 'demo-1', user: 'reader', permissions: ['catalog:cost:read'] },
  readerWithoutCost: { account: 'demo-1', user: 'reader-without-cost', permissions: [] },
  admin: { account: 'demo-1', user: 'admin', permissions: ['catalog:admin'] },
  otherAccount: { account: 'demo-2', user: 'editor', permissions: ['catalog:edit', 'catalog:cost:read'] },
};

const tokenNames = Object.keys(callers) as (keyof DemoTokens)[];

/** Category ids are assigned in this order. The first one is the default. */
const accounts = [
  { id: 'demo-1', categories: ['General', 'Furniture', 'Services', 'Old'], tax: 0 },
  { id: 'demo-2', categories: ['General'], tax: 2.5 },
];

/** Opens an account with its categories, of which old ones are archived, unless that was done. The default comes last. */
async function openDemoAccount(session: TimedSession, { id, categories, tax }: (typeof accounts)[number]) {
  await openAccount(session, id);
  const { categories: known, defaultCategory } = await showAccount(session, id);
  if (defaultCategory !== null) return;
  const configure = configureAccount(session, id);
  const ids = [...known.keys()].sort((x, y) => x - y);
  for (const name of categories.slice(ids.length)) ids.push(await configure.addCategory(name));
  const old = ids[categories.indexOf('Old')];
  if (old !== undefined) await configure.changeCategory(old, { archived: true });
  await configure.setDefaults({ category: ids[0] ?? null, tax });
}

const lifetime = 365 * 24 * 60 * 60;

/**
 * Opens the two demo accounts and issues their tokens, unless an earlier start already did.
 * @param options where the table is; `tokensFile` keeps the tokens across restarts, because the table has only hashes
 * @throws CommandError if the tokens file is malformed
 */
export async function openDemoAccounts(options: {
  dynamodb: string;
  table: string;
  tokensFile?: string | undefined;
}): Promise<DemoTokens> {
  const { tokensFile } = options;
  const database = openDatabase({ ...options, ...localClientConfig() });
  const session = database.for(timedContext(Date.now() + 10_000));
  const now = Date.now();
  const kept = tokensFile === undefined ? {} : await validTokens(session, tokensFile, now);
  if (tokenNames.every((name) => kept[name] !== undefined)) return kept as DemoTokens;
  for (const each of accounts) await openDemoAccount(session, each);
  const expiresAt = Math.floor(now / 1000) + lifetime;
  const issue = async (name: keyof DemoTokens): Promise<string> =>
    (await issueToken(session, { ...callers[name], expiresAt }, now)).token;
  const all = await Promise.all(tokenNames.map(async (name) => [name, kept[name] ?? (await issue(name))]));
  const tokens: DemoTokens = Object.fromEntries(all);
  if (tokensFile !== undefined) await writeFile(tokensFile, JSON.stringify(tokens), { mode: 0o600 });
  return tokens;
}

/** The tokens in the file that still work: they may have expired or been revoked, or their table deleted. */
async function validTokens(session: TimedSession, file: string, now: number): Promise<Partial<DemoTokens>> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return {};
  const tokens = Object.entries(parseTokens(text, file));
  const found = await Promise.all(tokens.map(([, token]) => findToken(session, token)));
  return Object.fromEntries(tokens.filter((_, index) => (found[index]?.expiresAt ?? 0) * 1_000 > now));
}

function parseTokens(text: string, file: string): Record<string, string> {
  try {
    return z.parse(z.record(z.string(), z.string()), JSON.parse(text));
  } catch (error) {
    throw new CommandError(`The tokens in ${file} cannot be read; delete the file to get new ones.`, 1, {
      cause: error,
    });
  }
}
