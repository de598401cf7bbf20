import { expect, it, vi } from 'vitest';
import { operatorApi } from '../../../../admin/api/operatorApi.ts';
import { loadCatalog } from '../../../../client/http/catalogClient.ts';
import { configuration, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

it('a request slows the rate down if the table was throttled, and only then', async () => {
  const [slowDown, account] = [vi.fn(), configuration('acme')];
  const limiter = { slowDown, run: (_: number, work: () => Promise<unknown>) => work() } as never;
  for (const [times, replies] of [[account], [sdkError('ThrottlingException', 400), account]].entries()) {
    const { client } = operatorApi({ database: scripted(replies).database, account: 'acme', limiter });
    expect(await loadCatalog(client)).toMatchObject({ account: 'acme', user: 'operator' });
    expect(slowDown).toHaveBeenCalledTimes(times);
  }
});
