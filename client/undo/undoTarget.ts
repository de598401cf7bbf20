import type { Schemas } from '../http/catalogClient.ts';
import type { KeptWrites } from '../storage/ranges.ts';
import type { UndoSelection } from './plan/undoPlan.ts';

/** What is to be undone. */
export interface UndoTarget extends Pick<UndoSelection, 'users' | 'from' | 'to' | 'items' | 'fields'> {
  readonly kinds?: readonly Schemas['Change']['kind'][] | undefined;
  /** Of the items in it only these writes, as an import has noted them: `{ 4: [[7, 9]] }` is revision 4 of items 7 to 9. */
  readonly writes?: KeptWrites | undefined;
}
