import { readFile, writeFile } from 'node:fs/promises';
import type { Permission } from '../../lib/access/permissions.ts';
import type { Work } from '../../lib/item/catalog.ts';
import { startWork } from '../../lib/item/catalog.ts';
import { openDatabase } from '../../lib/runtime/compose.ts';
import type { Database } from '../../lib/store/database.ts';
import { addCategory, archiveCategory, openAccount, RegistryError, setDefaults } from '../../lib/store/registry.ts';
import { issueToken } from '../../lib/store/tokenRegistry.ts';

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

/** How long demo tokens last, in seconds. */
const lifetime = 365 * 24 * 60 * 60;

/**
 * Opens the two demo accounts, unless they are open, and issues their tokens.
 * @param options where the table is; `tokensFile` keeps the tokens across restarts, as the table only keeps their hashes
 */
export async function openDemo(options: { dynamodb: string; table: string; tokensFile?: string }): Promise<DemoTokens> {
  const database = openDatabase(options);
  const work = startWork(Date.now() + 10_000);
  const isNew = await openUnlessOpen(database, work);
  if (!isNew && options.tokensFile !== undefined) {
    const kept = await readFile(options.tokensFile, 'utf8').catch(() => undefined);
    if (kept !== undefined) return readTokens(kept, options.tokensFile);
  }
  const now = Date.now();
  const expiresAt = Math.floor(now / 1000) + lifetime;
  const issued = Object.entries(callers).map(async ([name, caller]) => {
    const { token } = await issueToken(database, work, { ...caller, expiresAt }, now);
    return [name, token];
  });
  const tokens = Object.fromEntries(await Promise.all(issued)) as DemoTokens;
  if (options.tokensFile !== undefined) await writeFile(options.tokensFile, JSON.stringify(tokens), { mode: 0o600 });
  return tokens;
}

function readTokens(text: string, file: string): DemoTokens {
  try {
    return JSON.parse(text) as DemoTokens;
  } catch {
    throw new Error(`The tokens in ${file} cannot be read; remove the file to have new ones.`);
  }
}

/** @returns whether the accounts were opened now */
async function openUnlessOpen(database: Database, work: Work): Promise<boolean> {
  try {
    await openAccount(database, work, 'demo-1');
  } catch (error) {
    if (error instanceof RegistryError) return false;
    throw error;
  }
  for (const name of ['General', 'Furniture', 'Services', 'Old']) await addCategory(database, work, 'demo-1', name);
  await archiveCategory(database, work, 'demo-1', 4);
  await setDefaults(database, work, 'demo-1', { category: 1, tax: 0 });
  await openAccount(database, work, 'demo-2');
  await addCategory(database, work, 'demo-2', 'General');
  await setDefaults(database, work, 'demo-2', { category: 1, tax: 2.5 });
  return true;
}
