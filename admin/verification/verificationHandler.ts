import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import { openTable, patientClient } from '../table/openTable.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { rateLimitedRecords, verifyTable } from './verifyTable.ts';

export function verificationDependencies(source: Source) {
  const table = requiredVariable(source, variables.table);
  const location = { table, dynamodb: source[variables.dynamodb] || undefined };
  return {
    ...openTable(location),
    /** The size of the table in bytes, as DynamoDB has measured it in the last hours. */
    size: async () => {
      const { Table } = await patientClient(location).send(new DescribeTableCommand({ TableName: table }));
      return Table?.TableSizeBytes ?? 0;
    },
    // Not the findings themselves, which contain what callers typed.
    observe: (found: readonly string[]): void => {
      const entry = { message: 'verification', table, kinds: [...new Set(found)] };
      reportCount(metricNames.verificationFindings, found.length, entry);
    },
  };
}

/** Capacity units per second: as the operators' command uses by default, and as many as one CPU should check. */
const rates = { least: 500, most: 1_500 };
/** In seconds. The function has 15 minutes. */
const scanTime = 12 * 60;
/** What an eventually consistent read of one unit returns. */
const bytesPerUnit = 8 * 1_024;

/**
 * Verifies the table, at a rate that follows its size. Repairs nothing, because an operator should first see what was
 * found. A table that is too large for one night is a finding.
 */
export const verificationHandler =
  ({ database, source, size, observe }: ReturnType<typeof verificationDependencies>) =>
  async (): Promise<void> => {
    const rate = Math.max(rates.least, (await size()) / bytesPerUnit / scanTime);
    if (rate > rates.most) return observe(['table too large']);
    const table = { database, source, limiter: new RateLimiter(rate, database.clock) };
    const progress = { records: 0, suspects: 0, rechecked: 0 };
    const findings = await verifyTable(table, rateLimitedRecords(table), progress);
    observe(findings.map(({ kind }) => kind));
  };
