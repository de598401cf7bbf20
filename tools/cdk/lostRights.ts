import type { TemplateJson } from './lostResources.ts';

/**
 * Finds what earlier versions of the functions would miss after a rollback, when roles stay as they are deployed. Rights
 * are compared by their text, so one that is only said differently, or is now part of a wider one, is named, too.
 * @param before the template of the earlier versions
 * @param after the template to deploy
 * @returns each right that a role would lose, and each role that would be removed or replaced, as a sentence
 */
export function lostRights(before: TemplateJson, after: TemplateJson): string[] {
  return Object.entries(before.Resources).flatMap(([role, { Type, Properties }]) => {
    if (Type !== 'AWS::IAM::Role') return [];
    const next = after.Resources[role];
    if (next?.Type !== Type) return [`The role ${role} would be removed.`];
    const isReplaced = ['RoleName', 'Path'].some((name) => Properties?.[name] !== next.Properties?.[name]);
    if (isReplaced) return [`The role ${role} would be replaced.`];
    const [rights, kept] = [rightsOf(role, before), rightsOf(role, after)];
    const lost = [...rights].filter((right) => !kept.has(right) && !right.startsWith('Deny'));
    const denied = [...kept].filter((right) => !rights.has(right) && right.startsWith('Deny'));
    return [...lost.map((right) => `lose: ${right}`), ...denied.map((right) => `get: ${right}`)].map(
      (change) => `The role ${role} would ${change}`,
    );
  });
}

/** What the statements of a role and of its policies say, one action and one resource at a time. */
const rightsOf = (role: string, { Resources }: TemplateJson): Set<string> =>
  new Set(
    Object.entries(Resources).flatMap(([id, { Properties }]) => {
      const { Roles = [{ Ref: id }] } = (Properties ?? {}) as { Roles?: readonly { Ref: string }[] };
      return Roles.some(({ Ref }) => Ref === role) ? [...rightsIn(Properties)] : [];
    }),
  );

interface Statement {
  readonly Effect?: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly Resource?: unknown;
  readonly Condition?: object;
  readonly ManagedPolicyArns?: readonly unknown[];
}

function* rightsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const { Effect, Action = [], Resource, Condition, ManagedPolicyArns = [] } = value as Statement;
  for (const policy of ManagedPolicyArns) yield `Allow ${JSON.stringify(policy)}`;
  if (Effect === undefined) for (const part of Object.values(value)) yield* rightsIn(part);
  const limits = Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`;
  for (const action of [Action].flat())
    for (const resource of [Resource].flat()) yield `${Effect} ${action} on ${JSON.stringify(resource)}${limits}`;
}
