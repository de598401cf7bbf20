import { CatalogError } from '../item/errors.ts';
import type { NamedItem } from './namedItem.ts';

/** The refusal of an update under `If-Match`. It carries the item as it is now, so that the caller can merge and go on. */
export class PreconditionFailed extends CatalogError {
  readonly current: NamedItem;

  constructor(current: NamedItem) {
    super('PRECONDITION_FAILED');
    this.current = current;
  }
}
