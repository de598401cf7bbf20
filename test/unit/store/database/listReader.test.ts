import { describe, expect, it } from 'vitest';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { keys } from '../../../../lib/store/records/keys.ts';
import type { Reply, Sent } from '../../../support/scripted.ts';
import { beginning, scripted } from '../../../support/scripted.ts';
import { sdkError } from '../../../support/sdkError.ts';

const work = (time = 8_000) => timedContext(beginning + time);
const lost = sdkError('TimeoutError', undefined);
const [a, b, c] = [keys.item('acme', 1), keys.item('acme', 2), keys.item('acme', 3)];
const batch = (records: readonly object[], left: readonly object[] = []) => ({
  Responses: { 'table-1': records },
  UnprocessedKeys: left.length === 0 ? {} : { 'table-1': { Keys: left } },
});
const asked = ({ input }: Sent) => input.RequestItems['table-1'];

describe('a read of many records', () => {
  it('is one consistent message', async () => {
    const { reader, sent } = scripted([batch([{ x: 2 }, { x: 1 }])]);
    expect(await reader.getAll(work(), [a, b])).toEqual([{ x: 2 }, { x: 1 }]);
    expect(sent.map(asked)).toEqual([{ Keys: [a, b], ConsistentRead: true }]);
  });

  it('of none is no message', async () => {
    const { reader, sent } = scripted([]);
    expect(await reader.getAll(work(), [])).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('asks again for what DynamoDB leaves out, after a pause, and for all when the answer is lost', async () => {
    const { reader, sent, waits } = scripted([batch([{ x: 1 }], [b, c]), lost, batch([], [b, c]), batch([{ x: 2 }])]);
    const context = work();
    expect(await reader.getAll(context, [a, b, c])).toEqual([{ x: 1 }, { x: 2 }]);
    expect(sent.map((one) => asked(one).Keys)).toEqual([
      [a, b, c],
      [b, c],
      [b, c],
      [b, c],
    ]);
    expect(waits).toHaveLength(3);
    expect(context.stats).toMatchObject({ roundTrips: 4, retries: { throttled: 2, unknown: 1 } });
  });

  it('is 503 when DynamoDB goes on leaving records out', async () => {
    const left: Reply[] = Array.from({ length: 20 }, () => batch([], [a]));
    await expect(scripted(left).reader.getAll(work(), [a])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
