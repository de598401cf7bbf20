import type { ColumnMapping, SheetAnswers } from '../sheet/notices.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import type { ImportQuestion, SheetForm } from './1-read.ts';
import type { ImportPreview } from './2-preview.ts';
import type { ImportProgress } from './3-write.ts';
import type { ImportFailure } from './importFailure.ts';
import type { ImportRow, RejectedRow } from './row.ts';
import type { RowChoices } from './sheetRows.ts';

/** A file of a page has a name; another one has none. */
export type ImportFile = Blob & { readonly name?: string };

interface OfFile {
  readonly file: string;
}

interface OfSheet extends OfFile {
  readonly answers: SheetAnswers;
  readonly choices: RowChoices;
  readonly sheet: SheetForm;
}

interface OfPreview extends OfSheet {
  /** In the order of their lines. Rows that cannot be read are rejected. */
  readonly rows: readonly ImportRow[];
  readonly counts: ImportPreview['counts'];
  readonly rejected: readonly RejectedRow[];
  /** The lines of new items that would get the price 0, although nobody has written it. To be asked about. */
  readonly withoutPrice: readonly number[];
  /** Whether an earlier visit has begun to import these rows, so that `start` resumes it. */
  readonly isOpen: boolean;
}

interface OfRun extends OfSheet {
  readonly progress: ImportProgress;
  /** In the order of their lines. */
  readonly rejected: readonly RejectedRow[];
}

export type ImportState =
  | { readonly step: 'ready' }
  | (OfFile & { readonly step: 'reading' })
  | (OfFile & { readonly step: 'failed'; readonly failure: ImportFailure })
  | (OfFile & {
      readonly step: 'asking';
      readonly answers: SheetAnswers;
      readonly choices: RowChoices;
      readonly questions: readonly ImportQuestion[];
      readonly columns: readonly ColumnMapping[];
    })
  | (OfSheet & {
      readonly step: 'previewing';
      readonly previewed: number;
      readonly total: number;
      /** What it waits for to end before it tries again. */
      readonly waiting: ImportFailure | null;
    })
  /** With why categories could not be added, if they could not. */
  | (OfPreview & { readonly step: 'previewed'; readonly failure: ImportFailure | null })
  /** Categories are being added. */
  | (OfPreview & { readonly step: 'adding' })
  | (OfRun & { readonly step: 'sending'; readonly waiting: ImportFailure | null })
  | (OfRun & {
      readonly step: 'stopped';
      readonly failure: ImportFailure | null;
      /** What it has written, for an undo. */
      readonly undoTarget: UndoTarget | null;
    })
  | (OfRun & { readonly step: 'done'; readonly undoTarget: UndoTarget | null });

export type ImportStep = ImportState['step'];

export type StateIn<Step extends ImportStep> = Extract<ImportState, { step: Step }>;

/** What a user can do. An act that a step does not have does nothing. */
export interface ImportActs {
  /** Reads a file. Of what was answered about earlier files, only the targets of columns count for it. */
  load(file: ImportFile): Promise<void>;
  /** Reads the file again, with one more answer to a question; an empty one takes it back. */
  answer(option: keyof Omit<SheetAnswers, 'edits'> | 'match', text: string): Promise<void>;
  /** Maps each column to a target, which is remembered for later files. */
  setColumns(mapping: ReadonlyMap<string, string>): Promise<void>;
  /** Writes what was previewed. */
  start(): Promise<void>;
  /** Ends what is under way. */
  pause(): void;
  /** Resumes what was paused or has failed. */
  resume(): Promise<void>;
  /** Types over a cell of a rejected row, or of several at once. */
  editCell(lines: number | readonly number[], column: string, text: string): void;
  /** Previews the rejected rows again, with what was typed. What is known of the others stays. */
  retryRejected(): Promise<void>;
  /** Has rejected rows whose identifiers belong to inactive items update these, and make them active. */
  reactivateItems(): Promise<void>;
  /** Adds the categories that the file has and the account lacks, and reads their rows again. An undo leaves them. */
  addCategories(): Promise<void>;
  /** Forgets the file, and gives up an import that has expired. */
  close(): void;
}
