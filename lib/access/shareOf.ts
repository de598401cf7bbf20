import { createHash } from 'node:crypto';
import { shareCount, shareKey } from './shares.ts';

export interface ShareSettings {
  readonly stack: string;
  /** The accounts that share with nobody. */
  readonly own: readonly string[];
}

/** The API key of the share that an account has, alone or together with others. */
export function shareOf(account: string, { stack, own }: ShareSettings): string {
  const place = own.indexOf(account);
  if (place !== -1) return shareKey(stack, place);
  const hash = createHash('sha256').update(account).digest().readUInt32BE();
  return shareKey(stack, own.length + (hash % (shareCount - own.length)));
}
