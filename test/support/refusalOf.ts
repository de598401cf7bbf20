import { CatalogError } from '../../lib/item/errors.ts';

/** What a caller is told of a refusal; undefined when nothing is refused. Any other error is thrown on. */
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
