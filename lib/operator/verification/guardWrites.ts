import type { RequestContext } from '../../catalog/requestContext.ts';
import type { TransactItem, TransactionParts } from '../../store/database/database.ts';
import type { Identifier } from '../../store/records/guardRecord.ts';
import { deleteGuard, putGuard } from '../../store/records/guardRecord.ts';
import { keyAttributes, keys } from '../../store/records/keys.ts';
import type { IdentifierFinding, ItemSnapshot } from './finding.ts';

/**
 * The transaction that repairs a guard. It succeeds only if the items and the guard are unchanged since they were
 * checked.
 */
export function guardWrites(
  table: string,
  context: RequestContext,
  { name, text, owner, items }: IdentifierFinding,
): TransactionParts {
  const identifier = { name, text };
  const concerned = items.filter(({ id, hasIdentifier }) => hasIdentifier || id === owner);
  const unchanged = concerned.map((item) => [`item ${item.id}`, requireUnchanged(table, context, item)]);
  const [holder] = items.filter(({ hasIdentifier }) => hasIdentifier);
  return {
    ...Object.fromEntries(unchanged),
    guard: guardWrite(table, context, identifier, { owner, holder: holder?.id }),
  };
}

/** Puts the guard for the item that has the identifier, or deletes it if no item has it. */
function guardWrite(
  table: string,
  context: RequestContext,
  identifier: Identifier,
  { owner, holder }: { readonly owner: number | null; readonly holder: number | undefined },
): TransactItem {
  if (holder === undefined) return deleteGuard(table, context, owner ?? 0, identifier);
  const { Put } = putGuard(table, context, holder, identifier);
  // Take over a guard only from the owner that was found.
  return { Put: { ...Put, ...(owner !== null && { ExpressionAttributeValues: { ':item': owner } }) } };
}

const requireUnchanged = (
  table: string,
  { account }: RequestContext,
  { id, state, revision }: ItemSnapshot,
): TransactItem => ({
  ConditionCheck: {
    TableName: table,
    Key: keys.item(account, id),
    ...(state === 'absent'
      ? {
          ConditionExpression: 'attribute_not_exists(#pk)',
          ExpressionAttributeNames: { '#pk': keyAttributes.partition },
        }
      : {
          ConditionExpression: '#revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': revision },
        }),
  },
});
