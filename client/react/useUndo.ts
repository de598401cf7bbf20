import { useEffect } from 'react';
import type { Client } from '../http/catalogClient.ts';
import { Undo, type UndoState } from '../undo/undo.ts';
import type { UndoOptions } from '../undo/undoChanges.ts';
import { useStore } from './useStore.ts';

type Acts = Pick<Undo, 'preview' | 'start' | 'pause' | 'reset'>;

/**
 * Undoes changes: the state and the functions of an `Undo`. The functions are always the same.
 * @param options its `storage` keeps how to go on. On a server there is none
 * @example const undoing = useUndo(client, { storage: localStorage }); // undoing.preview(target), then undoing.start(target)
 */
export function useUndo(client: Client, { storage }: Pick<UndoOptions, 'storage'>): Acts & UndoState {
  const undoing = useStore(() => new Undo({ client, storage }));
  useEffect(() => undoing.setOptions({ client, storage }), [undoing, client, storage]);
  const { preview, start, pause, reset } = undoing;
  return { preview, start, pause, reset, ...undoing.getState() };
}
