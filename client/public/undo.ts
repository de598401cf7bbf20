export type { UndoPreview, UndoProgress } from '../undo/plan/runUndo.ts';
export type { FieldReport, RecordedState, UndoGroup } from '../undo/plan/undoPlan.ts';
export { Undo, type UndoState } from '../undo/undo.ts';
export { type PreviewOptions, preview, type UndoOptions, undo } from '../undo/undoChanges.ts';
export { forgetUndos } from '../undo/undoJournal.ts';
export type { UndoTarget } from '../undo/undoTarget.ts';
