import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { localClientConfig } from '../../cli/localCredentials.ts';
import { printError } from '../../cli/print.ts';
import type { Engine } from './startEngine.ts';

/**
 * Passes on all writes to a table, including those from before this call, and repeats each until it succeeds. Then deletes
 * them from an embedded engine's stream, which would otherwise read them with each write and return them after a restart.
 * @param invoke receives an event as Lambda would send it
 * @param pause how long to wait for further writes, in milliseconds
 * @returns a function that stops this
 */
export function readStream(
  { endpoint, file }: Pick<Engine, 'endpoint' | 'file'>,
  TableName: string,
  invoke: (event: object) => Promise<unknown>,
  pause = 250,
): () => Promise<void> {
  const client = new DynamoDBStreamsClient({ endpoint, ...localClientConfig() });
  const iterators = new Map<string, string | undefined>();
  const ending = new AbortController();
  const database = file === undefined ? undefined : new DatabaseSync(file, { timeout: 5_000 });
  // The last record remains, because the next one gets its number plus one.
  const trim = database?.prepare(
    'DELETE FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)',
  );

  async function readShards(): Promise<void> {
    const { Streams: [{ StreamArn } = {}] = [] } = await client.send(new ListStreamsCommand({ TableName }));
    const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
    for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
      const shard = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
      if (!iterators.has(ShardId))
        iterators.set(ShardId, (await client.send(new GetShardIteratorCommand(shard))).ShardIterator);
      await readShard(ShardId);
    }
  }

  async function readShard(id: string): Promise<void> {
    for (let hasRecords = true; hasRecords && iterators.get(id) !== undefined; ) {
      const command = new GetRecordsCommand({ ShardIterator: iterators.get(id), Limit: 100 });
      const { Records = [], NextShardIterator } = await client.send(command);
      hasRecords = Records.length > 0;
      if (hasRecords) {
        await invoke({ Records: Records.map(asLambdaSends) });
        trim?.run(TableName, Records.at(-1)?.dynamodb?.SequenceNumber ?? '0');
      }
      iterators.set(id, NextShardIterator);
    }
  }

  async function read(): Promise<void> {
    while (!ending.signal.aborted) {
      const failure = await readShards().catch((error: unknown) => error);
      await sleep(pause, undefined, { signal: ending.signal }).catch(() => undefined);
      // When the engine ends, so does this.
      if (failure !== undefined && !ending.signal.aborted)
        printError(`Reading the stream of ${TableName} failed:`, failure);
    }
  }

  const reading = read();
  return () => {
    ending.abort();
    return reading.finally(() => {
      client.destroy();
      database?.close();
    });
  };
}

/** Lambda sends times in seconds. */
const asLambdaSends = ({ dynamodb, ...record }: _Record) => {
  const ApproximateCreationDateTime = Number(dynamodb?.ApproximateCreationDateTime) / 1_000;
  return { ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime } };
};
