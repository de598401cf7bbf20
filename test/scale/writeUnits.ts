import type { PutCommandInput, TransactWriteCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Key } from '../../lib/store/records/keys.ts';
import { keyAttributes, nameIndex } from '../../lib/store/records/keys.ts';

/** A command of the document client. */
export interface Command {
  readonly constructor: { readonly name: string };
  readonly input: unknown;
}

export type StoredRecord = Readonly<Record<string, unknown>>;

/** Write units that one partition is charged, of the table or of its index. */
export interface Charge {
  readonly partition: string;
  readonly units: number;
}

/** The keys of the records that a command writes. */
export function keysWrittenBy({ input }: Command): Key[] {
  const { TransactItems } = input as TransactWriteCommandInput;
  const parts = TransactItems?.flatMap((part) => Object.values(part)) ?? [input];
  return parts.map((part) => {
    const { Key, Item } = part as Partial<PutCommandInput & UpdateCommandInput>;
    const { pk, sk } = Key ?? Item ?? {};
    return { pk, sk };
  });
}

/** The partition keys of the index to which a command adds an item. */
export const listsWrittenBy = ({ input }: Command): string[] =>
  [input as PutCommandInput, ...((input as TransactWriteCommandInput).TransactItems ?? []).map(({ Put }) => Put)]
    .map((put) => put?.Item?.[nameIndex.partition])
    .filter((partition) => partition !== undefined);

/** One unit per started KB. JSON is slightly longer than what DynamoDB counts. */
const unitsFor = (record: StoredRecord | undefined): number =>
  record === undefined ? 1 : Math.ceil(Buffer.byteLength(JSON.stringify(record)) / 1_024);

/** One unit per entry that is removed or added, so two if an item moves in the list; one if only its filters change. */
function indexUnits(before: StoredRecord | undefined, after: StoredRecord | undefined): number {
  const places = [before, after].map((record) => record?.[nameIndex.sort]);
  if (places[0] !== places[1]) return places.filter((place) => place !== undefined).length;
  return places[0] !== undefined && nameIndex.fields.some((field) => before?.[field] !== after?.[field]) ? 1 : 0;
}

/**
 * What DynamoDB charges for a write to one record, even if its condition failed.
 * @param factor 2 in a transaction, which prepares and commits
 */
export function chargesFor(
  key: Key,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
  factor: number,
): Charge[] {
  const list = (after ?? before)?.[nameIndex.partition];
  return [
    { partition: key[keyAttributes.partition], units: factor * Math.max(unitsFor(before), unitsFor(after)) },
    { partition: String(list), units: indexUnits(before, after) },
  ].filter(({ units }) => units > 0);
}
