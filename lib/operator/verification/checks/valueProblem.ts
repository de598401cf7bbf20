import { maxUnitDecimals } from '../../../item/account.ts';
import { limits } from '../../../item/limits.ts';
import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { readAccount, readUnit } from '../../../store/records/accountRecord.ts';
import { readItem } from '../../../store/records/itemRecord.ts';
import { keyIn, parseKey } from '../../../store/records/parseKey.ts';

/**
 * Finds harmful values in a readable record that no request could have written: numbers out of bounds, and metadata
 * with so many keys that updates would fail. Texts are not checked, because older rules allowed other texts.
 * @returns words that continue "The record …"; undefined if nothing is wrong
 */
export function valueProblem(record: StoredRecord): string | undefined {
  const wrong = wrongValues(record);
  return wrong.length === 0 ? undefined : `has ${wrong.join(' and ')}`;
}

function wrongValues(record: StoredRecord): string[] {
  switch (parseKey(keyIn(record))?.kind) {
    case 'item':
      return wrongInItem(record);
    case 'account':
      return outside('default tax', readAccount(record).default_tax, 0, limits.tax.max);
    case 'unit':
      return outside('number of decimals', readUnit(record).decimals, 0, maxUnitDecimals);
    default:
      return [];
  }
}

function wrongInItem(record: StoredRecord): string[] {
  const { item } = readItem(record);
  const amounts = (['value', 'qty', 'cost', 'tax'] as const).flatMap((name) =>
    outside(name, item[name], 0, limits[name].max),
  );
  const { length } = Object.keys(item.metadata);
  return [
    ...amounts,
    ...outside('revision', item.revision, 1, Number.MAX_SAFE_INTEGER),
    ...(length > limits.metadata.keysStored ? [`${length} metadata keys`] : []),
  ];
}

const outside = (name: string, value: number, min: number, max: number): string[] =>
  value >= min && value <= max ? [] : [`the ${name} ${value}`];
