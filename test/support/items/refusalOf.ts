import { CatalogError } from '../../../lib/item/errors.ts';

/** The error that a caller gets; undefined if there is none. Rethrows any other error. */
export function refusalOf(attempt: () => unknown) {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const { code, message, fields } = error;
    return { code, message, fields };
  }
}
