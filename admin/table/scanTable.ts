import { type DynamoDBDocumentClient, ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { awaitAll } from '../../lib/catalog/awaitAll.ts';
import { type Database, partitionPages, queryPage } from '../../lib/store/database/database.ts';
import type { StoredRecord } from '../../lib/store/database/record.ts';
import { itemPartition } from '../../lib/store/records/keys.ts';
import { operatorSession } from './operatorSession.ts';
import type { RateLimiter } from './rateLimiter.ts';

/**
 * Processes a list with several workers in parallel. When one fails, the others stop.
 * @param work gets a function that returns true once another one has failed
 */
export async function inParallel<T>(
  workers: number,
  all: Iterator<T> | AsyncIterator<T>,
  work: (entry: T, hasFailed: () => boolean) => Promise<void>,
): Promise<void> {
  let hasFailed = false;
  const worker = async () => {
    try {
      for (let next = await all.next(); next.done !== true && !hasFailed; next = await all.next())
        await work(next.value, () => hasFailed);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  await awaitAll(Array.from({ length: workers }, worker));
}

/** The table to scan, with a client that retries on its own, which is safe for reads. */
export interface ScanSource {
  readonly client: Pick<DynamoDBDocumentClient, 'send'>;
  readonly table: string;
}

/** A table, on which work is spread over time. */
export interface PacedTable {
  readonly database: Database;
  /** For scans. */
  readonly source: ScanSource;
  readonly limiter: RateLimiter;
}

/** Parts of a table that are read in parallel. */
export const segments = 4;

/** The read units of DynamoDB's largest page, 1 MB, if it is eventually consistent. */
const largestPage = 1_024 / 4 / 2;
/** Number of records on the first page, while their size is still unknown. */
const firstPage = 50;

/**
 * Reads every record that exists throughout the scan, once. A record that is written during the scan is read as it was
 * either before or after the write. All items of an account share a partition, and therefore a segment. Pages are kept
 * small, so that no segment uses more than its share of the units per second.
 * @param visit processes a page. The next page of the segment is read when it is done. If it fails, the scan ends.
 * @param isConsistent whether to read what was just written, at twice the cost
 */
export async function scanTable(
  { source: { client, table }, limiter }: Pick<PacedTable, 'source' | 'limiter'>,
  visit: (records: readonly StoredRecord[]) => void | Promise<void>,
  { isConsistent = false } = {},
): Promise<void> {
  const share = Math.min(largestPage, limiter.rate / segments);
  await inParallel(segments, Array(segments).keys(), async (segment, hasFailed) => {
    let start: StoredRecord | undefined;
    let limit = Math.ceil(Math.min(share, firstPage));
    let expected = 1;
    do {
      const command = new ScanCommand({
        TableName: table,
        Segment: segment,
        TotalSegments: segments,
        Limit: limit,
        ExclusiveStartKey: start,
        ConsistentRead: isConsistent,
        ReturnConsumedCapacity: 'TOTAL',
      });
      const page = await limiter.run(expected, () => client.send(command), consumedUnits);
      const { Items = [] } = page;
      await visit(Items);
      start = page.LastEvaluatedKey;
      if (Items.length > 0) {
        const each = consumedUnits(page) / Items.length;
        limit = Math.max(1, Math.floor(share / each));
        expected = limit * each;
      }
    } while (start !== undefined && !hasFailed());
  });
}

/** The engine may not report consumed capacity. Then compute it as DynamoDB does. */
const consumedUnits = ({ ConsumedCapacity, Items = [] }: ScanCommandOutput): number =>
  ConsumedCapacity?.CapacityUnits ?? readUnits(Items) / 2;

/** The approximate units of a strongly consistent read, one for each started 4 KB. Any other costs half as much. */
export const readUnits = (records: unknown): number =>
  Math.max(1, Math.ceil(JSON.stringify(records ?? '').length / 4_096));

/** Number of items, of unknown size, that one query reads, so that its response arrives in time. */
const pageSize = 25;

/** The records of an account's items by id, page by page, at a limited rate. Each page has a deadline of its own. */
export const itemPages = (
  { database, limiter }: Pick<PacedTable, 'database' | 'limiter'>,
  account: string,
  { isConsistent = false } = {},
) =>
  partitionPages(itemPartition(account), (input) => {
    const page = { ...input, ConsistentRead: isConsistent, Limit: pageSize };
    const read = () => queryPage(operatorSession(database, account), page);
    return limiter.run(1, read, ({ records }) => readUnits(records) / (isConsistent ? 1 : 2));
  });
