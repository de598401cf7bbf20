import type { ItemWriter } from '../catalog/catalogStore.ts';
import { PreconditionFailed } from '../catalog/updateItem.ts';
import { isUndecided, type RowOutcome, writeItems } from '../catalog/writeItems.ts';
import { CatalogError } from '../item/errors.ts';
import type { JsonObject } from '../item/json.ts';
import { headerValues } from './headers.ts';
import { jsonBody } from './jsonBody.ts';
import { type OperationDependencies, operationHandler, type ProxyHandler } from './operation.ts';
import { successStatus } from './operations.ts';
import { readParameters } from './parameters.ts';
import { presentError } from './presenter.ts';
import { idempotencyKey, invalidHeader } from './requestParts.ts';

/** `POST …/items/batch`: 200 with what became of each row. */
export const writeItemsHandler = (dependencies: OperationDependencies<ItemWriter>): ProxyHandler =>
  operationHandler('writeItems', dependencies, async (event, { context }) => {
    const body = jsonBody(event);
    const key = idempotencyKey(headerValues(event, 'idempotency-key'));
    // Whoever sends it means the rows, which have a `revision` for that.
    if (headerValues(event, 'if-match').length > 0) throw invalidHeader('If-Match');
    readParameters(event, {});
    const outcomes = await writeItems({ ...dependencies, context }, body, key);
    const isDryRun = body['dry_run'] === true;
    const rows = Map.groupBy(outcomes, nameOf);
    const failed = outcomes.find(isUndecided);
    return {
      body: { data: outcomes.map((outcome) => presentRow(outcome, isDryRun)) },
      observed: {
        isDryRun,
        rows: Object.fromEntries([...rows].map(([name, all]) => [name, all.length])),
        cause: failed?.cause ?? failed,
      },
    };
  });

function nameOf(outcome: RowOutcome): string {
  if (outcome instanceof CatalogError) return outcome.code;
  if (outcome.replayed) return 'replayed';
  return outcome.isCreated ? 'created' : 'updated';
}

/**
 * A row has the status and the error of the same row in a request of its own. Instead of the item, there are its id,
 * unless it only would be created, and its revision, also if that is not the one that the row names.
 */
export function presentRow(outcome: RowOutcome, isDryRun: boolean): JsonObject {
  if (outcome instanceof CatalogError) {
    const { status, body } = presentError(outcome, undefined);
    const current = outcome instanceof PreconditionFailed && outcome.current.item;
    return { status, ...(current && { id: current.id, revision: current.revision }), ...(body as JsonObject) };
  }
  const { isCreated, item, replayed } = outcome;
  const status = successStatus(isCreated ? 'createItem' : 'updateItem');
  const id = isCreated && isDryRun ? {} : { id: item.id };
  return { status, ...id, revision: item.revision, ...(replayed && { replayed }) };
}
