import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { keyAttributes, keys, tokenListPartition } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import { readTokenEntry } from '../../../store/records/tokenEntryRecord.ts';
import { readToken } from '../../../store/records/tokenRecord.ts';
import type { Records, TokenExcess, TokenExcessFinding, TokenFinding } from '../finding.ts';
import type { TokenSuspect } from '../suspect.ts';
import type { Check } from './check.ts';
import { problemOf } from './recordProblem.ts';

/** The identity of a token. */
type Token = Omit<TokenSuspect, 'of'>;

/** A token or its entry, still without the other. */
interface UnpairedToken extends Token {
  /** The values that both must agree on, as text. */
  readonly sharedValues: string;
}

/**
 * Checks that every token has a matching entry in its account's list, that the list has no other entries, and that the
 * account exists.
 */
export class TokenCheck implements Check {
  /** Tokens without an entry and entries without a token, by account and hash. */
  readonly #unpaired = new Map<string, UnpairedToken>();
  readonly #different = new Map<string, Token>();
  /** Tokens whose account has not been read yet. */
  readonly #withoutAccount = new Map<string, Token>();
  readonly #accounts = new Set<string>();

  add(kind: RecordKind, record: StoredRecord): void {
    if (kind.kind === 'account') this.#accounts.add(kind.account);
    if (kind.kind === 'token') this.#pair(record['account'], kind.sha256, record);
    if (kind.kind === 'token entry') this.#pair(kind.account, record['hash'], record);
    if (kind.kind === 'token' && typeof record['account'] === 'string') this.#expectAccount(record['account'], kind);
  }

  #pair(account: unknown, sha256: unknown, record: StoredRecord): void {
    if (typeof account !== 'string' || typeof sha256 !== 'string') return;
    const half: UnpairedToken = { account, sha256, sharedValues: sharedValuesOf(record) };
    const name = nameOf(half);
    const other = this.#unpaired.get(name);
    if (other === undefined) this.#unpaired.set(name, half);
    else this.#unpaired.delete(name);
    if (other !== undefined && other.sharedValues !== half.sharedValues) this.#different.set(name, half);
  }

  #expectAccount(account: string, { sha256 }: { sha256: string }): void {
    const token: Token = { account, sha256 };
    if (!this.#accounts.has(account)) this.#withoutAccount.set(nameOf(token), token);
  }

  *suspects(): Generator<TokenSuspect> {
    const homeless = [...this.#withoutAccount].filter(([, { account }]) => !this.#accounts.has(account));
    for (const { account, sha256 } of new Map([...this.#unpaired, ...this.#different, ...homeless]).values())
      yield { of: 'token', account, sha256 };
  }
}

const nameOf = ({ account, sha256 }: Token): string => JSON.stringify([account, sha256]);

/** The values that a token's record and its entry have in common. */
function sharedValuesOf(record: StoredRecord): string {
  const { user, permissions, [keyAttributes.expiry]: expiresAt } = record;
  return JSON.stringify([user, Array.isArray(permissions) ? permissions.toSorted() : permissions, expiresAt]);
}

/**
 * A token and its entry are written in one transaction, deleted in one transaction, never changed, and never recreated.
 * Accounts are never deleted. So if one half is not found and the other half is found afterwards, the first is missing.
 * Expired records are ignored, because DynamoDB deletes them in any order.
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
  const excess = excessOf(token, entry);
  return excess.length === 0 ? undefined : { ...finding, kind: 'token exceeds entry', excess };
}

/** The terms in which a token grants more than its entry shows. Unreadable records are separate findings. */
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
