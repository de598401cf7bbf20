import { useEffect } from 'react';
import type { CallerStorage, Client } from '../http/catalogClient.ts';
import { MistakeUndo, type UndoState } from '../undo/mistakeUndo.ts';
import { type Functions, useStore } from './useStore.ts';

/**
 * Undoes a mistake: the state and the functions of a `MistakeUndo`. The functions are always the same.
 * @param storage keeps how to go on. On a server there is none
 * @example const undoing = useUndo(client, localStorage); // undoing.look(mistake), then undoing.start(mistake)
 */
export function useUndo(client: Client, storage: CallerStorage | undefined): Functions<MistakeUndo> & UndoState {
  const undoing = useStore(() => new MistakeUndo(client, storage));
  useEffect(() => undoing.setOptions(client, storage), [undoing, client, storage]);
  return { ...undoing, ...undoing.getState() };
}
