import type { UndoSelection } from '../../portable/undo/undo.ts';
import type { Schemas } from '../http/catalogClient.ts';

/** What is to be undone. */
export interface Mistake extends Pick<UndoSelection, 'users' | 'from' | 'to' | 'items' | 'fields'> {
  readonly kinds?: readonly Schemas['Change']['kind'][] | undefined;
}
