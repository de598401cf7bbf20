import { openTable } from '../operator/openTable.ts';
import type { VerificationDependencies } from '../operator/verification/verificationHandler.ts';
import type { Source } from './environment.ts';
import { variables } from './environment.ts';
import { countLine, metricNames } from './metrics.ts';

/**
 * Creates the dependencies of the scheduled verification.
 * @param source `process.env`, or a substitute
 * @param write writes one line, which has no line break
 */
export function verificationDependencies(
  source: Source,
  write = (line: string): unknown => process.stdout.write(`${line}\n`),
): VerificationDependencies {
  const { [variables.table]: table, [variables.dynamodb]: dynamodb } = source;
  if (table === undefined) throw new Error(`The environment variable ${variables.table} is not set`);
  return {
    ...openTable({ table, dynamodb: dynamodb || undefined }),
    observe: (findings) => {
      // Not the findings themselves, which contain what callers typed.
      const kinds = [...new Set(findings.map(({ kind }) => kind))];
      write(countLine(metricNames.verificationFindings, findings.length, { message: 'verification', table, kinds }));
    },
  };
}
