import * as z from 'zod/mini';

const patterns = z.union([z.string(), z.array(z.string())]);

/**
 * The IAM policy returned by an authorizer. Conditions and negated elements are rejected, because ignoring them would
 * grant too much.
 */
export const policySchema = z.strictObject({
  Version: z.optional(z.literal('2012-10-17')),
  Id: z.optional(z.string()),
  Statement: z.array(
    z.strictObject({
      Sid: z.optional(z.string()),
      Effect: z.enum(['Allow', 'Deny']),
      Action: patterns,
      Resource: patterns,
    }),
  ),
});

/** Whether a policy allows invoking a method: at least one statement must allow it, and none may deny it. */
export function permits(policy: z.infer<typeof policySchema>, methodArn: string): boolean {
  const effects = policy.Statement.filter(
    ({ Action, Resource }) => matchesAny(Action, 'execute-api:Invoke', 'is') && matchesAny(Resource, methodArn, 's'),
  ).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

/**
 * Whether a text matches one of IAM's patterns: `*` matches any characters, slashes included, and `?` matches one.
 * @param flags those of a regular expression
 */
export const matchesAny = (all: string | readonly string[], text: string, flags: string): boolean =>
  [all].flat().some((pattern) => {
    const expression = pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${expression}$`, flags).test(text);
  });
