import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { authorize } from '../../lib/access/authorize.ts';
import type { Permission } from '../../lib/access/permissions.ts';
import type { TimedContext } from '../../lib/catalog/catalogStore.ts';
import { timedContext } from '../../lib/catalog/catalogStore.ts';
import {
  addCategory,
  archiveCategory,
  OperatorError,
  openAccount,
  setDefaults,
  showAccount,
} from '../../lib/operator/accounts.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import { openDatabase } from '../../lib/runtime/composition.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { findToken } from '../../lib/store/records/tokenRecord.ts';

/** The tokens of the demo accounts: who may do what. */
export interface DemoTokens {
  readonly editor: string;
  readonly editorWithoutCost: string;
  /** May see costs, but not edit. */
  readonly reader: string;
  /** An editor of the second account. */
  readonly otherAccount: string;
}

const callers: Record<keyof DemoTokens, { account: string; user: string; permissions: Permission[] }> = {
  editor: { account: 'demo-1', user: 'editor', permissions: ['catalog:edit', 'catalog:cost:read'] },
  editorWithoutCost: { account: 'demo-1', user: 'editor-without-cost', permissions: ['catalog:edit'] },
  reader: { account: 'demo-1', user: 'reader', permissions: ['catalog:cost:read'] },
  otherAccount: { account: 'demo-2', user: 'editor', permissions: ['catalog:edit', 'catalog:cost:read'] },
};

const names = Object.keys(callers) as (keyof DemoTokens)[];

/** The categories of each account get their ids in this order. */
const accounts = {
  'demo-1': { open: ['General', 'Furniture', 'Services'], archived: ['Old'], tax: 0 },
  'demo-2': { open: ['General'], archived: [], tax: 2.5 },
} as const;

/** How long demo tokens last, in seconds. */
const lifetime = 365 * 24 * 60 * 60;

/**
 * Opens the two demo accounts and issues their tokens, as far as no earlier start has done it.
 * @param options where the table is; `tokensFile` keeps the tokens across restarts, as the table only keeps their hashes
 */
export async function openDemo(options: { dynamodb: string; table: string; tokensFile?: string }): Promise<DemoTokens> {
  const { tokensFile } = options;
  const database = openDatabase(options);
  const work = timedContext(Date.now() + 10_000);
  const now = Date.now();
  const kept = tokensFile === undefined ? {} : await keptTokens(database, work, tokensFile, now);
  if (names.every((name) => kept[name] !== undefined)) return kept as DemoTokens;
  for (const account of ['demo-1', 'demo-2'] as const) await openUnlessOpen(database, work, account);
  const expiresAt = Math.floor(now / 1000) + lifetime;
  const issue = async (name: keyof DemoTokens): Promise<string> =>
    (await issueToken(database, work, { ...callers[name], expiresAt }, now)).token;
  const all = await Promise.all(names.map(async (name) => [name, kept[name] ?? (await issue(name))]));
  const tokens: DemoTokens = Object.fromEntries(all);
  if (tokensFile !== undefined) await writeFile(tokensFile, JSON.stringify(tokens), { mode: 0o600 });
  return tokens;
}

/** The tokens of a file that are still let in: they end, can be revoked, and the table may have been removed. */
async function keptTokens(
  database: Database,
  work: TimedContext,
  file: string,
  now: number,
): Promise<Partial<DemoTokens>> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return {};
  const tokens = Object.entries(readTokens(text, file));
  const store = { find: (call: TimedContext, token: string) => findToken(database, call, token) };
  const found = await Promise.all(tokens.map(([, token]) => authorize(store, work, [`Bearer ${token}`], now)));
  return Object.fromEntries(tokens.filter((_, index) => found[index] !== undefined));
}

function readTokens(text: string, file: string): Record<string, string> {
  try {
    return z.parse(z.record(z.string(), z.string()), JSON.parse(text));
  } catch {
    throw new Error(`The tokens in ${file} cannot be read; remove the file to have new ones.`);
  }
}

/** Opens an account unless it is open. Its defaults are set last: where there are none, an earlier start was interrupted. */
async function openUnlessOpen(database: Database, work: TimedContext, account: keyof typeof accounts): Promise<void> {
  await openAccount(database, work, account).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error;
  });
  const { categories, defaultCategory } = await showAccount(database, work, account);
  if (defaultCategory !== null) return;
  const ids = new Map([...categories].map(([id, { name }]) => [name, id]));
  for (const name of [...accounts[account].open, ...accounts[account].archived])
    if (!ids.has(name)) ids.set(name, await addCategory(database, work, account, name));
  for (const name of accounts[account].archived) await archiveCategory(database, work, account, Number(ids.get(name)));
  await setDefaults(database, work, account, { category: Number(ids.get('General')), tax: accounts[account].tax });
}
