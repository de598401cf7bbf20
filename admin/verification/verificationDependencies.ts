import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import { openTable, patientClient } from '../table/openTable.ts';

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
