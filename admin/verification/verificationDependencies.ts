import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import { openTable } from '../table/openTable.ts';
import type { VerificationDependencies } from './verificationHandler.ts';

export function verificationDependencies(source: Source): VerificationDependencies {
  const table = requiredVariable(source, variables.table);
  return {
    ...openTable({ table, dynamodb: source[variables.dynamodb] || undefined }),
    observe: (findings) => {
      // Not the findings themselves, which contain what callers typed.
      const kinds = [...new Set(findings.map(({ kind }) => kind))];
      reportCount(metricNames.verificationFindings, findings.length, { message: 'verification', table, kinds });
    },
  };
}
