// Apart from `violation.ts`, which the client's package includes: that has no Zod.
import type * as z from 'zod/mini';
import type { Violation } from './violation.ts';

/** Reads a violation from a schema's issue. Zod's checks name their rules by codes; ours are a `pattern` by default. */
export function violationIn(issue: z.core.$ZodIssue): Violation {
  const reason = issue.message;
  switch (issue.code) {
    case 'too_small':
      return { reason, rule: 'min', limit: Number(issue.minimum) };
    case 'too_big':
      return { reason, rule: 'max', limit: Number(issue.maximum) };
    case 'invalid_value':
    case 'invalid_union':
      return { reason, rule: 'choice' };
    case 'invalid_type':
      return { reason, rule: 'type' };
    case 'custom':
      return { reason, rule: 'pattern', ...issue.params };
    default:
      return { reason, rule: 'pattern' };
  }
}
