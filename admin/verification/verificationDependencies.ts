import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import { openTable, patientClient } from '../table/openTable.ts';
import type { VerificationDependencies } from './verificationHandler.ts';

export function verificationDependencies(source: Source): VerificationDependencies {
  const table = requiredVariable(source, variables.table);
  const location = { table, dynamodb: source[variables.dynamodb] || undefined };
  return {
    ...openTable(location),
    size: async () => {
      const { Table } = await patientClient(location).send(new DescribeTableCommand({ TableName: table }));
      return Table?.TableSizeBytes ?? 0;
    },
    // Not the findings themselves, which contain what callers typed.
    observe: (found) => {
      const entry = { message: 'verification', table, kinds: [...new Set(found)] };
      reportCount(metricNames.verificationFindings, found.length, entry);
    },
  };
}
