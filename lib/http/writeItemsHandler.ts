import type { Caller } from '../access/caller.ts';
import type { ItemWriter } from '../catalog/catalogStore.ts';
import { PreconditionFailed } from '../catalog/updateItem.ts';
import { isUndecided, type RowOutcome, writeItems } from '../catalog/writeItems.ts';
import { CatalogError, errors } from '../item/errors.ts';
import { type FieldChange, fieldChanges } from '../item/fieldChanges.ts';
import { fieldNames } from '../item/fields.ts';
import type { JsonObject } from '../item/json.ts';
import { limits } from '../item/limits.ts';
import { headerValues } from './headers.ts';
import { jsonBody } from './jsonBody.ts';
import { type OperationDependencies, operation, type ProxyHandler } from './operation.ts';
import { successStatus } from './operations.ts';
import { isShown, presentError, presentFieldChanges } from './presenter.ts';
import { idempotencyKey, invalidHeader, query, reads } from './requestParts.ts';

/** `POST …/items/batch`: 200 with the result of each row. */
export const writeItemsHandler = (dependencies: OperationDependencies<ItemWriter>): ProxyHandler =>
  operation('writeItems', dependencies)
    .use(jsonBody())
    .use(idempotencyKey())
    .use(withoutIfMatch)
    .use(query({}))
    .handler(async (_, { request, caller, body, key }) => {
      const outcomes = await writeItems({ ...dependencies, context: request, hidden: hiddenFrom(caller) }, body, key);
      const isDryRun = body['dry_run'] === true;
      const rows = Map.groupBy(outcomes, nameOf);
      const failed = outcomes.find(isUndecided);
      return {
        body: { data: outcomes.map((outcome, index) => presentRow(outcome, isDryRun, caller, rowAt(body, index))) },
        observed: {
          isDryRun,
          rows: Object.fromEntries([...rows].map(([name, all]) => [name, all.length])),
          cause: failed?.cause ?? failed,
        },
      };
    });

/** Rows have a `revision` instead. */
const withoutIfMatch = reads((event) => {
  if (headerValues(event, 'if-match').length > 0) throw invalidHeader('If-Match');
  return {};
});

function nameOf(outcome: RowOutcome): string {
  if (outcome instanceof CatalogError) return outcome.code;
  if (outcome.replayed) return 'replayed';
  if (outcome.isUnchanged) return 'unchanged';
  return outcome.isCreated ? 'created' : 'updated';
}

const rowAt = ({ rows }: JsonObject, index: number): JsonObject => Object(Object(rows)[index]);

/**
 * A row has the status and the error of the same row in a request of its own. Instead of the item, it has its id,
 * unless it only would be created, and its revision. A dry run of an update lists its changes.
 * @param sent the row, whose hidden fields always count as changed: whether they differ would reveal their values
 */
export function presentRow(outcome: RowOutcome, isDryRun: boolean, caller: Caller, sent: JsonObject = {}): JsonObject {
  if (outcome instanceof PreconditionFailed) {
    const { id, revision, updatedBy } = outcome.current.item;
    const message = `${updatedBy} has changed the item since.`;
    return { status: errors[outcome.code].status, id, revision, error: { message, code: outcome.code, by: updatedBy } };
  }
  if (outcome instanceof CatalogError) {
    const { status, body } = presentError(outcome, caller);
    return { status, ...(body as JsonObject) };
  }
  const { isCreated, item, before, replayed, isUnchanged } = outcome;
  const status = successStatus(isCreated ? 'createItem' : 'updateItem');
  const id = isCreated && isDryRun && !replayed ? {} : { id: item.id };
  const seen = before && presentFieldChanges(shownChanges(fieldChanges(before, item)), caller);
  const hidden = hiddenFrom(caller).filter((name) => Object.hasOwn(sent, name));
  const changes = seen && { changes: [...seen, ...hidden.map((field) => ({ field }))] };
  const flags = { ...(replayed && { replayed }), ...(isUnchanged && { unchanged: true }) };
  return { status, ...id, revision: item.revision, ...changes, ...flags };
}

const hiddenFrom = (caller: Caller) => fieldNames.filter((name) => !isShown(name, caller));

/** Without large values, so that the changes of 50 rows fit in a response. */
function shownChanges(changes: readonly FieldChange[]): FieldChange[] {
  const isLarge = (shown: object, most: number) => Buffer.byteLength(JSON.stringify(shown)) > most;
  const isAll = !isLarge(changes, limits.pageBytes / limits.rows.max / 2);
  return changes.map(({ from = null, to = null, ...name }) =>
    isAll && !isLarge([from], 1_024) && !isLarge([to], 1_024) ? { ...name, from, to } : name,
  );
}
