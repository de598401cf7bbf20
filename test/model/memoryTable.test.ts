import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { MemoryTable } from '../support/memoryTable/memoryTable.ts';
import { createTestTable } from '../support/testTable.ts';
import { usesEmbeddedEngine } from '../support/usesEmbeddedEngine.ts';
import { runs, testTimeout } from './runs.ts';
import type { AnyCommand } from './tableCommands.ts';
import { makeCommand } from './tableCommands.ts';

interface Sender {
  readonly send: (command: AnyCommand) => Promise<Readonly<Record<string, unknown>>>;
}

interface Failure {
  readonly name: string;
  readonly Item?: Parameters<typeof unmarshall>[0];
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Failure['Item'] }[];
}

const shown = (record: Failure['Item']) => record && unmarshall(record);

const sorted = (records: readonly JsonObject[]) =>
  records.toSorted((a, b) => (String(a['sk']) < String(b['sk']) ? -1 : 1));

/** What a command comes to, in what the store reads of it. */
async function outcomeOf({ send }: Sender, command: AnyCommand) {
  try {
    const { Attributes, Item, Items, Responses } = await send(command);
    // A batch comes in any order.
    const read = Object.values((Responses ?? {}) as Record<string, JsonObject[]>).map(sorted);
    return { Attributes, Item, Items, read };
  } catch (error) {
    const { name, Item, CancellationReasons } = error as Failure;
    const reasons = CancellationReasons?.map((reason) => [reason.Code, shown(reason.Item)]);
    return { name, item: shown(Item), reasons };
  }
}

// DynamoDB Local names some refused transactions otherwise.
const itEmbedded = it.runIf(usesEmbeddedEngine);

itEmbedded('the in-memory table behaves like the engine', { timeout: testTimeout }, async () => {
  const outcomes = new Set<string>();
  const sequences = fc.array(fc.tuple(makeCommand, fc.boolean()), { minLength: 40, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      const { client, table, records } = await createTestTable();
      const engine = { send: client.send.bind(client) } as unknown as Sender;
      const memory = new MemoryTable() as unknown as Sender & MemoryTable;
      for (const [index, [make, isSentTwice]] of sequence.entries()) {
        const command = make(table, `${table.slice(-20)}-${index}`);
        for (let sending = 0; sending < (isSentTwice ? 2 : 1); sending += 1) {
          const sent = [command.constructor.name, command.input];
          const outcome = await outcomeOf(engine, command);
          expect([sent, await outcomeOf(memory, command)]).toEqual([sent, outcome]);
          outcomes.add(`${command.constructor.name} ${outcome.name ?? 'done'}`);
        }
      }
      expect(sorted(memory.records())).toEqual(sorted(await records()));
    }),
    { ...runs, numRuns: 15 },
  );
  expect([...outcomes].sort()).toEqual([
    'BatchGetCommand done',
    'GetCommand done',
    'PutCommand ConditionalCheckFailedException',
    'PutCommand done',
    'QueryCommand done',
    'TransactWriteCommand TransactionCanceledException',
    'TransactWriteCommand ValidationException',
    'TransactWriteCommand done',
    'UpdateCommand ConditionalCheckFailedException',
    'UpdateCommand ValidationException',
    'UpdateCommand done',
  ]);
});
