import { CatalogError } from '../item/errors.ts';
import type { NamedItem } from './namedItem.ts';

/** An update failed its `If-Match`. Carries the current item, so that the caller can merge and retry. */
export class PreconditionFailed extends CatalogError {
  readonly current: NamedItem;

  constructor(current: NamedItem) {
    super('PRECONDITION_FAILED');
    this.current = current;
  }
}
