export { MistakeUndo, type UndoState } from '../undo/mistakeUndo.ts';
