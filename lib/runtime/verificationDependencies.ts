import { openTable } from '../operator/openTable.ts';
import type { VerificationDependencies } from '../operator/verification/verificationHandler.ts';
import { required, type Source, variables } from './environment.ts';
import { metricNames, reportCount } from './metrics.ts';

/**
 * Creates the dependencies of the scheduled verification.
 * @param source `process.env`, or a substitute
 */
export function verificationDependencies(source: Source): VerificationDependencies {
  const table = required(source, variables.table);
  return {
    ...openTable({ table, dynamodb: source[variables.dynamodb] || undefined }),
    observe: (findings) => {
      // Not the findings themselves, which contain what callers typed.
      const kinds = [...new Set(findings.map(({ kind }) => kind))];
      reportCount(metricNames.verificationFindings, findings.length, { message: 'verification', table, kinds });
    },
  };
}
