import * as z from 'zod/mini';
import { permissions } from '../../access/permissions.ts';
import { readConfiguration } from '../../store/catalog/accountCache.ts';
import { lastAttribute } from '../../store/catalog/idLease.ts';
import type { Attributes } from '../../store/database/attributes.ts';
import { fromAttributes } from '../../store/database/attributes.ts';
import { ownerAttribute } from '../../store/records/guardRecord.ts';
import { readCreatedItem } from '../../store/records/idempotencyRecord.ts';
import { readItem } from '../../store/records/itemRecord.ts';
import type { Key } from '../../store/records/keys.ts';
import { configurationSort, keyAttributes, keys } from '../../store/records/keys.ts';
import type { RecordKind } from '../../store/records/parseKey.ts';
import { isSameKey, keyIn, parseKey } from '../../store/records/parseKey.ts';

/**
 * What is wrong with a record by itself: whether the store could not read it, or reads in it that it belongs elsewhere.
 * @returns words that go on from "The record …"; undefined: nothing is wrong. They hold nothing of what a caller sent.
 */
export function problemOf(record: Attributes): string | undefined {
  const place = parseKey(keyIn(record));
  if (place === undefined) return 'has a key of no known kind of record';
  try {
    return isSameKey(keyByContent(place, record), keyIn(record)) ? undefined : 'says that it belongs under another key';
  } catch (error) {
    if (!(error instanceof z.core.$ZodError)) return 'cannot be read';
    return `has a missing or wrong attribute ${error.issues[0]?.path.join('.')}`;
  }
}

const guard = z.object({ [ownerAttribute]: z.int() });
const counter = z.object({ [lastAttribute]: z.int() });
const expiring = { permissions: z.array(z.enum(permissions)), user: z.string(), [keyAttributes.expiry]: z.int() };
const token = z.object({ ...expiring, account: z.string() });
const tokenEntry = z.object({ ...expiring, id: z.string(), hash: z.string(), issued_at: z.int() });

/** An account's own record, for the configuration's reader, which reads none without it. */
const emptyAccount = { sk: configurationSort.account, default_tax: 0 };

/** The key under which a record belongs by its content. @throws an error when it cannot be read */
function keyByContent(place: RecordKind, record: Attributes): Key {
  const content = () => fromAttributes(record);
  switch (place.kind) {
    case 'item':
      return keys.item(place.account, readItem(record).item.id);
    case 'guard':
      guard.parse(content());
      return keyIn(record);
    case 'counter':
      counter.parse(content());
      return keyIn(record);
    case 'account':
      readConfiguration(place.account, [content()]);
      return keyIn(record);
    case 'category': {
      const [id = Number.NaN] = readConfiguration(place.account, [emptyAccount, content()])?.categories.keys() ?? [];
      return keys.category(place.account, id);
    }
    case 'unit': {
      const [code = ''] = readConfiguration(place.account, [emptyAccount, content()])?.units.keys() ?? [];
      return keys.unit(place.account, code);
    }
    case 'idempotency':
      readCreatedItem(record, { key: '', fingerprint: () => String(content()['fingerprint']) });
      return keyIn(record);
    case 'token':
      token.parse(content());
      return keyIn(record);
    case 'token entry':
      return keys.tokenEntry(place.account, tokenEntry.parse(content()).id);
  }
}
