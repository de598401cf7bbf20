import type { ItemWriter } from '../../lib/catalog/catalogStore.ts';
import { dryWriter } from '../../lib/catalog/dryWriter.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoItemWriter.ts';
import { IdLease } from '../../lib/store/catalog/idLease.ts';
import { insertItem } from '../../lib/store/catalog/insertItem.ts';
import type { Database, Session } from '../../lib/store/database/database.ts';
import type { ImportProgress } from './importProgress.ts';

/**
 * Opens a table for the rows of an import. The id of a create is noted before it is sent.
 * @param progress undefined for a dry run
 */
export function importStore(
  database: Database,
  progress: ImportProgress | undefined,
): (line: number, context: RequestContext) => ItemWriter {
  const ids = new IdLease();
  const writer = dynamoItemWriter(database);
  return (line, context) => {
    if (progress === undefined) return dryWriter(writer(context));
    const next = async (session: Session) => {
      const id = await ids.next(session);
      progress.note(line, id);
      return id;
    };
    return {
      ...writer(context),
      insertItem: (fields, key) => insertItem(database.for(context), { next }, fields, key),
    };
  };
}
