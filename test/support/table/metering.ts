import type { TestTable } from './testTable.ts';

/** A client that counts its requests and the capacity units they take. */
export function metering(client: TestTable['client']) {
  let [requests, units] = [0, 0];
  const send = async (command: { input: object }, ...rest: unknown[]) => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    requests += 1;
    try {
      const output = await Reflect.apply(client.send, client, [command, ...rest]);
      units += [output.ConsumedCapacity].flat()[0].CapacityUnits;
      return output;
    } catch (error) {
      // DynamoDB charges the same for a write whose condition fails, but the engine does not report it.
      units += 1;
      throw error;
    }
  };
  return {
    client: { send: send as TestTable['client']['send'] },
    requests: () => requests,
    units: () => units,
    reset: () => {
      [requests, units] = [0, 0];
    },
  };
}
