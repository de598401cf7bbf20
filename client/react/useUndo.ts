import { useEffect } from 'react';
import type { Client } from '../http/catalogClient.ts';
import { Undo, type UndoState } from '../undo/undo.ts';
import type { UndoOptions } from '../undo/undoChanges.ts';
import { type Functions, useStore } from './useStore.ts';

/**
 * Undoes changes: the state and the functions of an `Undo`. The functions are always the same.
 * @param options its `storage` keeps how to go on. On a server there is none
 * @example const undoing = useUndo(client, { storage: localStorage }); // undoing.preview(target), then undoing.start(target)
 */
export function useUndo(client: Client, { storage }: Pick<UndoOptions, 'storage'>): Functions<Undo> & UndoState {
  const undoing = useStore(() => new Undo({ client, storage }));
  useEffect(() => undoing.setOptions({ client, storage }), [undoing, client, storage]);
  return { ...undoing, ...undoing.getState() };
}
