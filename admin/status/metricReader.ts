import { type CloudWatchClient, GetMetricDataCommand, type Metric } from '@aws-sdk/client-cloudwatch';
import { dimensions, metricNamespace } from '../../lib/runtime/metrics.ts';

/** What was reported for a minute. */
interface Reported {
  /** In ISO 8601. */
  readonly at: string;
  readonly value: number;
}

export type MetricReader = ReturnType<typeof metricReader>;

/** Reads metrics by the minute, the newest first. @param table whose metrics of our own are read */
export function metricReader(client: CloudWatchClient, table: string) {
  const read = async (metric: Metric, Stat: string, hours: number): Promise<Reported[]> => {
    const EndTime = new Date();
    const StartTime = new Date(EndTime.getTime() - hours * 3_600_000);
    const MetricDataQueries = [{ Id: 'wanted', MetricStat: { Metric: metric, Stat, Period: 60 } }];
    const wanted = { StartTime, EndTime, MetricDataQueries, ScanBy: 'TimestampDescending' } as const;
    const { MetricDataResults: [{ Timestamps = [], Values = [] } = {}] = [] } = await client.send(
      new GetMetricDataCommand(wanted),
    );
    return Timestamps.map((time, index) => ({ at: time.toISOString(), value: Values[index] ?? 0 }));
  };
  return {
    own: (MetricName: string, Stat: string, hours: number) =>
      read(
        { Namespace: metricNamespace, MetricName, Dimensions: [{ Name: dimensions.table, Value: table }] },
        Stat,
        hours,
      ),
    /** Counts the backups that were copied to a vault. @param arn the vault's */
    copiesTo: (arn: string, hours: number) => {
      const Dimensions = [{ Name: 'BackupVaultName', Value: arn.split(':').at(-1) }];
      return read({ Namespace: 'AWS/Backup', MetricName: 'NumberOfCopyJobsCompleted', Dimensions }, 'Sum', hours);
    },
  };
}
