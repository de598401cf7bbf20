import * as z from 'zod/mini';

/**
 * The IAM policy returned by an authorizer, with the elements that ours has. Others are rejected, because ignoring a
 * condition or a negation would grant too much.
 */
export const policySchema = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Effect: z.enum(['Allow', 'Deny']),
      Action: z.literal('execute-api:Invoke'),
      Resource: z.string(),
    }),
  ),
});

/** Whether a policy allows invoking a method: at least one statement must allow it, and none may deny it. */
export function permits(policy: z.infer<typeof policySchema>, methodArn: string): boolean {
  const effects = policy.Statement.filter(({ Resource }) => matches(Resource, methodArn)).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

/** Whether a text matches a pattern of IAM: `*` matches any characters, slashes included, and `?` matches one. */
export function matches(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}
