import type { ItemWriter } from '../catalog/catalogStore.ts';
import { PreconditionFailed } from '../catalog/updateItem.ts';
import type { RowOutcome } from '../catalog/writeItems.ts';
import { isUndecided, writeItems } from '../catalog/writeItems.ts';
import { CatalogError } from '../item/errors.ts';
import type { JsonObject } from '../item/json.ts';
import { headerValues } from './headers.ts';
import { jsonBody } from './jsonBody.ts';
import type { Observation } from './observation.ts';
import type { OperationDependencies, ProxyHandler } from './operation.ts';
import { operationHandler } from './operation.ts';
import { successStatus } from './operations.ts';
import { idempotencyKey } from './requestParts.ts';
import { presentError } from './responder.ts';

/** `POST …/items/batch`: 200 with what became of each row. */
export const writeItemsHandler = (dependencies: OperationDependencies<ItemWriter>): ProxyHandler =>
  operationHandler('writeItems', dependencies, async (event, { context }) => {
    const body = jsonBody(event);
    const key = idempotencyKey(headerValues(event, 'idempotency-key'));
    const outcomes = await writeItems({ ...dependencies, context }, body, key);
    const observed = { ...observedRows(outcomes), isDryRun: body['dry_run'] === true };
    return { body: { data: outcomes.map(presentRow) }, observed };
  });

/**
 * A row has the status and the error of the same row in a request of its own. Instead of the item, there are its id and
 * its revision, also if that is not the one that the row names.
 */
export function presentRow(outcome: RowOutcome): JsonObject {
  if (outcome instanceof CatalogError) {
    const { status, body } = presentError(outcome, undefined);
    return { status, ...(outcome instanceof PreconditionFailed && currentOf(outcome)), ...(body as JsonObject) };
  }
  const { isCreated, id, revision, replayed } = outcome;
  const status = successStatus(isCreated ? 'createItem' : 'updateItem');
  return { status, ...(id !== undefined && { id }), revision, ...(replayed && { replayed }) };
}

const currentOf = ({ current: { item } }: PreconditionFailed) => ({ id: item.id, revision: item.revision });

/** How many rows had each outcome, and why the first of those was not decided that were not. */
function observedRows(outcomes: readonly RowOutcome[]): Partial<Observation> {
  const byName = Map.groupBy(outcomes, nameOf);
  const failed = outcomes.find(isUndecided);
  return {
    rows: Object.fromEntries([...byName].map(([name, all]) => [name, all.length])),
    cause: failed?.cause ?? failed,
  };
}

function nameOf(outcome: RowOutcome): string {
  if (outcome instanceof CatalogError) return outcome.code;
  if (outcome.replayed) return 'replayed';
  return outcome.isCreated ? 'created' : 'updated';
}
