export { Undo, type UndoState } from '../undo/undo.ts';
export {
  type FieldReport,
  forgetUndos,
  type PreviewOptions,
  type PreviewProgress,
  preview,
  type UndoOptions,
  type UndoProgress,
  undo,
} from '../undo/undoChanges.ts';
export type { UndoTarget } from '../undo/undoTarget.ts';
