export {
  type FieldReport,
  forgetUndos,
  type Mistake,
  type PreviewOptions,
  type PreviewProgress,
  preview,
  type UndoOptions,
  type UndoProgress,
  undo,
} from '../undo/undo.ts';
