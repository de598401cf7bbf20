import type { DynamoDBDocumentClient, ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredRecord } from '../../store/database/documentClient.ts';
import type { RateLimiter } from './rateLimiter.ts';

/** A table to read as a whole, through a client that repeats what fails: reading does no harm twice. */
export interface ScanSource {
  readonly client: Pick<DynamoDBDocumentClient, 'send'>;
  readonly table: string;
}

/** What an eventually consistent read of 4 KB costs, in read units; a strongly consistent one costs twice as much. */
const unitsPerBlock = 0.5;
const block = 4_096;
/** DynamoDB ends a page at 1 MB. */
const largestPage = (1_024 * 1_024 * unitsPerBlock) / block;
/** How many records a first page has, before it is known how large they are. */
const firstPage = 50;

/**
 * Reads every record that is in the table all the time, once. Those written meanwhile are read before or after that
 * write. The reads are eventually consistent, at half the price: what they find must be looked at again in any case.
 * All items of an account share a partition, and therefore a segment.
 * @param segments how many parts of the table are read at once; pages are kept so small that none uses more than its
 * share of a second's units at once
 * @param take a segment is read on when it is done with a page
 */
export async function scanTable(
  source: ScanSource,
  { segments, limiter }: { segments: number; limiter: RateLimiter },
  take: (records: readonly StoredRecord[]) => void | Promise<void>,
): Promise<void> {
  const share = Math.min(largestPage, limiter.rate / segments);
  await Promise.all(Array.from({ length: segments }, (_, segment) => scanSegment(source, segment)));

  async function scanSegment({ client, table }: ScanSource, segment: number): Promise<void> {
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
        ReturnConsumedCapacity: 'TOTAL',
      });
      const page = await limiter.run(expected, () => client.send(command), unitsOf);
      const { Items = [] } = page;
      await take(Items);
      start = page.LastEvaluatedKey;
      if (Items.length > 0) {
        const each = unitsOf(page) / Items.length;
        limit = Math.max(1, Math.floor(share / each));
        expected = limit * each;
      }
    } while (start !== undefined);
  }
}

/** An engine that does not tell what a page has cost is taken to count as DynamoDB does. */
const unitsOf = ({ ConsumedCapacity, Items = [] }: ScanCommandOutput): number =>
  ConsumedCapacity?.CapacityUnits ?? Math.max(1, Math.ceil(sizeOf(Items) / block)) * unitsPerBlock;

/** About so many bytes. */
export const sizeOf = (records: unknown): number => JSON.stringify(records).length;
