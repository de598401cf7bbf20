import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { keyAttributes, keys, tokenListPartition } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import { readTokenEntry } from '../../../store/records/tokenEntryRecord.ts';
import { readToken } from '../../../store/records/tokenRecord.ts';
import type { Records, TokenExcess, TokenExcessFinding, TokenFinding } from '../finding.ts';
import type { TokenSuspect } from '../suspect.ts';
import type { Check } from './check.ts';
import { problemOf } from './recordProblem.ts';

/** What names a token. */
type Token = Omit<TokenSuspect, 'of'>;

/** Half of a pair of token and entry. */
interface Half extends Token {
  /** What both must say, as text. */
  readonly terms: string;
}

/** Whether every token is in its account's list as it is, the list has no other, and the account exists. */
export class TokenCheck implements Check {
  /** Tokens without entry, and entries without token, by account and hash. */
  readonly #unpaired = new Map<string, Half>();
  readonly #different = new Map<string, Token>();
  /** Tokens whose account has not come by. */
  readonly #homeless = new Map<string, Token>();
  readonly #accounts = new Set<string>();

  add(kind: RecordKind, record: StoredRecord): void {
    if (kind.kind === 'account') this.#accounts.add(kind.account);
    if (kind.kind === 'token') this.#pair(record['account'], kind.sha256, record);
    if (kind.kind === 'token entry') this.#pair(kind.account, record['hash'], record);
    if (kind.kind === 'token' && typeof record['account'] === 'string') this.#expectAccount(record['account'], kind);
  }

  #pair(account: unknown, sha256: unknown, record: StoredRecord): void {
    if (typeof account !== 'string' || typeof sha256 !== 'string') return;
    const half: Half = { account, sha256, terms: termsOf(record) };
    const name = nameOf(half);
    const other = this.#unpaired.get(name);
    if (other === undefined) this.#unpaired.set(name, half);
    else this.#unpaired.delete(name);
    if (other !== undefined && other.terms !== half.terms) this.#different.set(name, half);
  }

  #expectAccount(account: string, { sha256 }: { sha256: string }): void {
    const token: Token = { account, sha256 };
    if (!this.#accounts.has(account)) this.#homeless.set(nameOf(token), token);
  }

  *suspects(): Generator<TokenSuspect> {
    const homeless = [...this.#homeless].filter(([, { account }]) => !this.#accounts.has(account));
    for (const { account, sha256 } of new Map([...this.#unpaired, ...this.#different, ...homeless]).values())
      yield { of: 'token', account, sha256 };
  }
}

const nameOf = ({ account, sha256 }: Token): string => JSON.stringify([account, sha256]);

/** What a token's record and its entry both say. */
function termsOf(record: StoredRecord): string {
  const { user, permissions, [keyAttributes.expiry]: expiresAt } = record;
  return JSON.stringify([user, Array.isArray(permissions) ? permissions.toSorted() : permissions, expiresAt]);
}

/**
 * A token and its entry are written at once, deleted at once, never changed, and never come back; accounts are never
 * deleted. So what is looked for first and not there, while the other is there later, is missing. What has ended,
 * DynamoDB deletes in any order.
 */
export async function recheckToken(
  records: Records,
  { account, sha256 }: TokenSuspect,
  now: number,
): Promise<TokenFinding | TokenExcessFinding | undefined> {
  const read = async () => {
    const record = await records.get(keys.token(sha256));
    return record?.['account'] === account ? record : undefined;
  };
  const before = await read();
  const entry = (await records.query(tokenListPartition(account))).find((record) => record['hash'] === sha256);
  const token = await read();
  const hasAccount = (await records.get(keys.account(account))) !== undefined;
  const hasEnded = Number((token ?? entry)?.[keyAttributes.expiry]) * 1_000 <= now;
  if (hasEnded) return undefined;
  const finding = { account, sha256 };
  if (token === undefined)
    return before === undefined && entry !== undefined ? { ...finding, kind: 'entry without token' } : undefined;
  if (entry === undefined) return { ...finding, kind: 'token without entry' };
  if (!hasAccount) return { ...finding, kind: 'token without account' };
  const beyond = excessOf(token, entry);
  return beyond.length === 0 ? undefined : { ...finding, kind: 'token beyond entry', beyond };
}

/** In what a token goes beyond its entry. Unreadable records are findings of their own. */
function excessOf(tokenRecord: StoredRecord, entryRecord: StoredRecord): TokenExcess[] {
  if (problemOf(tokenRecord) !== undefined || problemOf(entryRecord) !== undefined) return [];
  const [token, entry] = [readToken(tokenRecord), readTokenEntry(entryRecord)];
  const excess = {
    permissions: token.permissions.some((permission) => !entry.permissions.includes(permission)),
    expiry: token.expiresAt > entry.expiresAt,
    user: token.user !== entry.user,
  };
  return (['permissions', 'expiry', 'user'] as const).filter((term) => excess[term]);
}
