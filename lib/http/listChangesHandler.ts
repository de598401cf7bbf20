import type { ChangeReader } from '../catalog/changeReader.ts';
import { limits } from '../item/limits.ts';
import { encodeCursor } from './cursor.ts';
import { listParameters } from './listParameters.ts';
import type { OperationDependencies, ProxyHandler } from './operation.ts';
import { operationHandler } from './operation.ts';
import { readParameters } from './parameters.ts';
import { presentChange } from './presenter.ts';

/** A cursor is that of a list, with a number in place of an id, and without a name. */
const changeParameters = { cursor: { schema: listParameters.cursor.schema }, limit: listParameters.limit };

/** `GET …/changes`: 200 with what has changed since a cursor, and the cursor to go on with. */
export const listChangesHandler = (dependencies: OperationDependencies<ChangeReader>): ProxyHandler =>
  operationHandler('listChanges', dependencies, async (event, { caller, store }) => {
    const { cursor, limit = limits.page.default } = readParameters(event, changeParameters);
    const { changes, next } = await store.listChanges(cursor?.id, limit);
    const data = changes.map((change) => presentChange(change, caller));
    return { body: { data, next_cursor: encodeCursor({ name: '', id: next }) } };
  });
