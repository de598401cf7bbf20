import { CatalogError, errors } from '../lib/item/errors.ts';
import { CommandError } from './print.ts';
import { showProgress } from './showProgress.ts';

/**
 * Runs a task that uses a table.
 * @param progress is shown meanwhile
 * @throws CommandError for what the catalog refuses, and if the network, DynamoDB or missing permissions are the reason
 */
export async function usingTable<Done>(
  table: string,
  work: () => Promise<Done>,
  progress?: () => string,
): Promise<Done> {
  try {
    return await (progress === undefined ? work() : showProgress(progress, work));
  } catch (error) {
    if (isRefusal(error)) throw new CommandError(refusalText(error));
    if (!isOutage(error)) throw error;
    throw new CommandError(`The table ${table} cannot be used: ${innermostMessage(error)}`, 1, { cause: error });
  }
}

const isRefusal = (error: unknown): error is CatalogError =>
  error instanceof CatalogError && errors[error.code].status < 500;

const refusalText = ({ message, fields = [], cause }: CatalogError): string =>
  cause instanceof Error
    ? `${cause.message}.`
    : [message, ...fields.map(({ field, reason }) => `The value of ${field} ${reason}.`)].join(' ');

/** The SDK gives each of its errors `$metadata`, and those of the network as well. */
const isOutage = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof CatalogError || '$metadata' in error);

function innermostMessage({ message, cause }: Error): string {
  return cause instanceof Error ? innermostMessage(cause) : message;
}
