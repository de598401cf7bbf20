import {
  ContinuousBackupsUnavailableException,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { protectTable, requireRestored, restoredName, restoreTable } from '../../../../admin/restore/restoreTable.ts';

const to = Date.parse('2026-11-21T22:15:00Z');
const request = { table: 'live', target: 'copy', to };
const $metadata = {};
const copyOf = (table: string, more: Partial<TableDescription> = {}): TableDescription => ({
  TableStatus: 'ACTIVE',
  RestoreSummary: {
    SourceTableArn: `arn:aws:dynamodb:eu-central-1:1:table/${table}`,
    RestoreDateTime: new Date(to),
    RestoreInProgress: false,
  },
  ...more,
});
const restoredAt = (time: string): Partial<TableDescription> => ({
  RestoreSummary: { ...copyOf('live').RestoreSummary, RestoreDateTime: new Date(time) } as never,
});
const window = (earliest: string, latest: string) => ({
  EarliestRestorableDateTime: new Date(earliest),
  LatestRestorableDateTime: new Date(latest),
});

interface Fake {
  /** The new table at each poll; undefined if it does not exist. */
  readonly looks: readonly (TableDescription | undefined)[];
  readonly recovery?: object;
  readonly expiry?: string;
  /** How many times enabling its backups fails before it succeeds. */
  readonly unavailable?: number;
}

/** A fake DynamoDB for restores. Returns the commands that it got, and the number of waits. */
function fake({ looks, recovery = window('2026-11-01', '2026-11-22'), expiry = 'DISABLED', unavailable = 0 }: Fake) {
  const sent: [string, object][] = [];
  let [look, waits, refused] = [0, 0, 0];
  const answer = (name: string): object => {
    switch (name) {
      case 'DescribeTable': {
        const Table = looks[Math.min(look++, looks.length - 1)];
        if (Table === undefined) throw new ResourceNotFoundException({ message: 'none', $metadata });
        return { Table };
      }
      case 'DescribeContinuousBackups':
        return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recovery } };
      case 'DescribeTimeToLive':
        return { TimeToLiveDescription: { TimeToLiveStatus: expiry } };
      case 'UpdateContinuousBackups':
        if (refused++ < unavailable) throw new ContinuousBackupsUnavailableException({ message: 'wait', $metadata });
        return {};
      default:
        return {};
    }
  };
  const send = async (command: { constructor: { name: string }; input: object }) => {
    const name = command.constructor.name.replace(/Command$/, '');
    if (!name.startsWith('Describe')) sent.push([name, command.input]);
    return answer(name);
  };
  const sleep = async () => {
    waits += 1;
  };
  return { client: { send: send as never }, sleep, sent, waits: () => waits };
}

const started = {
  SourceTableName: 'live',
  TargetTableName: 'copy',
  RestoreDateTime: new Date(to),
};

describe('restoreTable', () => {
  it('restores to the time, and waits until the table and its index can be used', async () => {
    const looks = [
      undefined,
      copyOf('live', { TableStatus: 'CREATING' }),
      copyOf('live', { RestoreSummary: { ...copyOf('live').RestoreSummary, RestoreInProgress: true } as never }),
      copyOf('live', { GlobalSecondaryIndexes: [{ IndexStatus: 'CREATING' }] }),
      copyOf('live', { GlobalSecondaryIndexes: [{ IndexStatus: 'ACTIVE' }] }),
    ];
    const { client, sleep, sent, waits } = fake({ looks });
    await restoreTable(client, request, sleep);
    expect(sent).toEqual([['RestoreTableToPointInTime', started]]);
    expect(waits()).toBe(3);
  });

  it('continues with the table that an earlier command began to restore', async () => {
    const { client, sleep, sent, waits } = fake({
      looks: [copyOf('live', { TableStatus: 'CREATING' }), copyOf('live', { TableStatus: 'CREATING' }), copyOf('live')],
    });
    await restoreTable(client, request, sleep);
    expect(sent).toEqual([]);
    expect(waits()).toBe(1);
  });

  it.each<[string, Fake, string]>([
    ['another table has the name', { looks: [copyOf('other')] }, 'The table copy was not restored from live.'],
    [
      'the table keeps no history',
      { looks: [undefined], recovery: { PointInTimeRecoveryStatus: 'DISABLED' } },
      'The table live has no point-in-time recovery, so there is nothing to restore it from.',
    ],
    [
      'the time is too early',
      { looks: [undefined], recovery: window('2026-11-21T22:15:01Z', '2026-11-22') },
      'The table live can be restored to a time from 2026-11-21T22:15:01.000Z to 2026-11-22T00:00:00.000Z.',
    ],
    [
      'the time is too late',
      { looks: [undefined], recovery: window('2026-11-01', '2026-11-21T22:14:59Z') },
      'The table live can be restored to a time from 2026-11-01T00:00:00.000Z to 2026-11-21T22:14:59.000Z.',
    ],
  ])('refuses when %s', async (_case, given, sentence) => {
    const { client, sleep, sent } = fake(given);
    await expect(restoreTable(client, request, sleep)).rejects.toThrow(sentence);
    expect(sent).toEqual([]);
  });

  it.each<[string, TableDescription | undefined, string]>([
    ['has disappeared', undefined, 'The table copy has disappeared: the restore has failed.'],
    [
      'cannot be used',
      copyOf('live', { TableStatus: 'INACCESSIBLE_ENCRYPTION_CREDENTIALS' }),
      'The table copy cannot be used: it is INACCESSIBLE_ENCRYPTION_CREDENTIALS.',
    ],
  ])('does not wait for a table that %s', async (_case, last, sentence) => {
    const { client, sleep } = fake({ looks: [undefined, copyOf('live', { TableStatus: 'CREATING' }), last] });
    await expect(restoreTable(client, request, sleep)).rejects.toThrow(sentence);
  });
});

describe('requireRestored', () => {
  it('accepts a copy of the table as of that second', async () => {
    for (const time of ['2026-11-21T22:15:00Z', '2026-11-21T22:15:00.999Z'])
      await requireRestored(fake({ looks: [copyOf('live', restoredAt(time))] }).client, request);
  });

  it.each<[string, TableDescription | undefined, string]>([
    ['does not exist', undefined, 'There is no table copy.'],
    ['was never restored', { TableStatus: 'ACTIVE' }, 'The table copy was not restored from live.'],
    ['is a copy of another one', copyOf('other'), 'The table copy was not restored from live.'],
    ['is a copy of another one with a longer name', copyOf('my-live'), 'The table copy was not restored from live.'],
    [
      'is of another time',
      copyOf('live', restoredAt('2026-11-21T22:14:59.999Z')),
      'The table copy was restored as of 2026-11-21T22:14:59.999Z, not 2026-11-21T22:15:00.000Z.',
    ],
  ])('refuses a table that %s', async (_case, look, sentence) => {
    await expect(requireRestored(fake({ looks: [look] }).client, request)).rejects.toThrow(sentence);
  });
});

describe('protectTable', () => {
  const protection = { keepsData: true, recoveryDays: 35 };
  const recovery = {
    TableName: 'copy',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
  };

  it('enables what a restore does not', async () => {
    const { client, sleep, sent } = fake({ looks: [copyOf('live')], unavailable: 2 });
    await protectTable(client, 'copy', protection, sleep);
    expect(sent).toEqual([
      ['UpdateTable', { TableName: 'copy', DeletionProtectionEnabled: true }],
      [
        'UpdateTimeToLive',
        { TableName: 'copy', TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true } },
      ],
      ...Array(3).fill(['UpdateContinuousBackups', recovery]),
    ]);
  });

  it('does not repeat what DynamoDB would reject', async () => {
    const { client, sleep, sent } = fake({
      looks: [copyOf('live', { DeletionProtectionEnabled: true })],
      expiry: 'ENABLED',
    });
    await protectTable(client, 'copy', protection, sleep);
    expect(sent).toEqual([['UpdateContinuousBackups', recovery]]);
  });

  it('does not protect a table from deletion if its environment keeps no data', async () => {
    const { client, sleep, sent } = fake({ looks: [copyOf('live')], expiry: 'ENABLING' });
    await protectTable(client, 'copy', { ...protection, keepsData: false }, sleep);
    expect(sent.map(([name]) => name)).toEqual(['UpdateContinuousBackups']);
  });
});

describe('restoredName', () => {
  it('contains the table and the time, in characters that DynamoDB allows', () => {
    expect(restoredName('catalog-prod-table-1A', to)).toBe('catalog-prod-table-1A-restored-20261121T221500Z');
  });
});
