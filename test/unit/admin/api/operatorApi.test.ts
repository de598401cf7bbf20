import { expect, it, vi } from 'vitest';
import { operatorApi } from '../../../../admin/api/operatorApi.ts';
import { loadCatalog } from '../../../../client/http/catalogClient.ts';
import { configuration, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

it('a request slows the rate down if the table was throttled, and only then', async () => {
  const [slowDown, account] = [vi.fn(), configuration('acme')];
  const limiter = { slowDown, run: (_: number, work: () => Promise<unknown>) => work() } as never;
  for (const [times, replies] of [[account], [sdkError('ThrottlingException', 400), account]].entries()) {
    const { client } = operatorApi({ database: scripted(replies).database, limiter }, 'acme');
    expect(await loadCatalog(client)).toMatchObject({ account: 'acme', user: 'operator' });
    expect(slowDown).toHaveBeenCalledTimes(times);
  }
});

it('eight failures in a row end a command, but not with a success between them', async () => {
  const open = (isLost: (request: number) => boolean) => {
    let requests = 0;
    const lost = (work: () => Promise<unknown>) => (isLost(requests++) ? Promise.reject(new Error('lost')) : work());
    const limiter = { run: (_: number, work: () => Promise<unknown>) => lost(work) } as never;
    const { database } = scripted(Array.from({ length: 10 }, () => configuration('acme')));
    return operatorApi({ database, limiter }, 'acme');
  };
  const isEndedAfter = async (requests: number, isLost: (request: number) => boolean) => {
    const { client, polling } = open(isLost);
    for (let sent = 0; sent < requests; sent += 1) await loadCatalog(client).catch(() => undefined);
    return polling.signal.aborted;
  };
  expect(await isEndedAfter(20, (request) => request % 2 === 0)).toBe(false);
  expect(await isEndedAfter(7, () => true)).toBe(false);
  expect(await isEndedAfter(8, () => true)).toBe(true);
});
