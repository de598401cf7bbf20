import { hasExpired, keyAttributes, type StoredRecord } from '../../../lib/store/database/record.ts';
import { keys, tokenListPartition } from '../../../lib/store/records/keys.ts';
import { readToken, readTokenEntry } from '../../../lib/store/records/tokenRecord.ts';
import { problemOf } from '../../table/recordProblem.ts';
import { type Check, quoted } from '../check.ts';

interface TokenSuspect {
  readonly account: string;
  readonly sha256: string;
}

interface TokenFinding extends TokenSuspect {
  readonly kind: 'token without entry' | 'token without account' | 'entry without token';
}

interface TokenExcessFinding extends TokenSuspect {
  readonly kind: 'token exceeds entry';
  readonly excess: readonly (keyof typeof excessTexts)[];
}

const excessTexts = { permissions: 'more permissions', expiry: 'a later expiry', user: 'a different user' } as const;

/**
 * Checks that every token has a matching entry in its account's list, that the list has no other entries, and that the
 * account exists. Keeps each token until its entry and its account have been read.
 */
export const tokens: Check<TokenFinding | TokenExcessFinding, TokenSuspect> = {
  collect() {
    const accounts = new Set<string>();
    const withoutAccount = new Set<string>();
    /** The values that a token and its entry must agree on, as text, until both have been read; blank if they differ. */
    const unpaired = new Map<string, string>();
    const nameOf = (suspect: TokenSuspect) => JSON.stringify(suspect, ['account', 'sha256']);
    const pair = (account: unknown, sha256: unknown, record: StoredRecord) => {
      if (typeof account !== 'string' || typeof sha256 !== 'string') return;
      const [name, values] = [nameOf({ account, sha256 }), sharedValues(record)];
      const others = unpaired.get(name);
      if (others === values) unpaired.delete(name);
      else unpaired.set(name, others === undefined ? values : '');
    };
    return {
      add(record, key) {
        const { account, hash } = record;
        if (key?.kind === 'account') accounts.add(key.account);
        if (key?.kind === 'token entry') pair(key.account, hash, record);
        if (key?.kind !== 'token') return;
        pair(account, key.sha256, record);
        if (typeof account === 'string' && !accounts.has(account))
          withoutAccount.add(nameOf({ account, sha256: key.sha256 }));
      },
      suspects: () =>
        [...new Set([...unpaired.keys(), ...withoutAccount])]
          .map((name): TokenSuspect => JSON.parse(name))
          .filter((suspect) => unpaired.has(nameOf(suspect)) || !accounts.has(suspect.account)),
    };
  },

  /**
   * A token and its entry are written and deleted in one transaction, never changed, and never recreated. So if one is
   * not found and the other is found afterwards, the first is missing. Expired ones are ignored, because DynamoDB
   * deletes them in any order.
   */
  async recheck(records, { account, sha256 }, now) {
    const read = async () => {
      const record = await records.get(keys.token(sha256));
      return record?.['account'] === account ? record : undefined;
    };
    const before = await read();
    const entry = (await records.query(tokenListPartition(account))).find((record) => record['hash'] === sha256);
    const token = await read();
    const hasAccount = (await records.get(keys.account(account))) !== undefined;
    if (hasExpired(token ?? entry ?? {}, now)) return undefined;
    const finding = { account, sha256 };
    if (token === undefined)
      return before === undefined && entry !== undefined ? { ...finding, kind: 'entry without token' } : undefined;
    if (entry === undefined) return { ...finding, kind: 'token without entry' };
    if (!hasAccount) return { ...finding, kind: 'token without account' };
    const excess = excessOf(token, entry);
    return excess.length === 0 ? undefined : { ...finding, kind: 'token exceeds entry', excess };
  },

  kinds: {
    'token without entry': {
      text: (finding) => `${tokenText(finding)} is not in the account's list`,
      advice: 'delete it manually if it should be revoked',
    },
    'token without account': {
      text: (finding) => `${tokenText(finding)} is for this account, which does not exist`,
      advice: 'revoke it by the first 16 digits of its hash, or restore the account manually',
    },
    'entry without token': {
      text: ({ sha256 }) => `the list has a token with the hash ${quoted(sha256)} that does not exist`,
      advice: 'revoke it, which removes it from the list',
    },
    'token exceeds entry': {
      text: (finding) => {
        const excess = finding.excess.map((term) => excessTexts[term]).join(', ');
        return `${tokenText(finding)} has ${excess} than its entry in the account's list`;
      },
      advice: 'revoke it by the first 16 digits of its hash, and issue another',
    },
  },
};

const tokenText = ({ sha256 }: TokenSuspect): string => `the token with the hash ${quoted(sha256)}`;

function sharedValues(record: StoredRecord): string {
  const { user, permissions, [keyAttributes.expiry]: expiresAt } = record;
  return JSON.stringify([user, Array.isArray(permissions) ? permissions.toSorted() : permissions, expiresAt]);
}

/** Unreadable records are separate findings. */
function excessOf(tokenRecord: StoredRecord, entryRecord: StoredRecord): TokenExcessFinding['excess'] {
  if (problemOf(tokenRecord) !== undefined || problemOf(entryRecord) !== undefined) return [];
  const [token, entry] = [readToken(tokenRecord), readTokenEntry(entryRecord)];
  const excess = {
    permissions: token.permissions.some((permission) => !entry.permissions.includes(permission)),
    expiry: token.expiresAt > entry.expiresAt,
    user: token.user !== entry.user,
  };
  return (['permissions', 'expiry', 'user'] as const).filter((term) => excess[term]);
}
