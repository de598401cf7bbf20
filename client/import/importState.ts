import type { FieldProblem } from '../../lib/item/fields.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import type { ImportFailure } from './importFailure.ts';
import type { ImportProgress } from './importRows.ts';
import type { Look, RowLook } from './lookAtRows.ts';
import type { ColumnMapping, Sheet, SheetAnswers, SheetQuestion, SheetRow } from './readSheet.ts';
import type { Row, RowOptions } from './rows.ts';

/** A file of a page has a name; another one has none. */
export type ImportFile = Blob & { readonly name?: string };

/** What the user says of the rows: which items they are of, and whether others are created. */
export interface RowChoices extends Pick<RowOptions, 'create'> {
  /** Items with the row's code; those of its `id` and `revision`, as in an export; or none. */
  readonly match?: RowOptions['match'] | 'id' | 'none';
  /** What becomes of new items without a price: they get 0, as by `create`, unless they are to be left out. */
  readonly withoutPrice?: 'create' | 'leave' | undefined;
}

/** What is wrong with a row, by rules of the contract, of sheets, or of an import. */
export interface RejectProblem extends FieldProblem {
  readonly rule: string;
  readonly limit?: number | undefined;
  /** The item that has the code. */
  readonly item?: number | undefined;
  /** Who has changed the item since. */
  readonly by?: string | undefined;
}

/** A row that is to be mended. */
export interface RejectedRow extends SheetRow {
  readonly problems: readonly RejectProblem[];
  /** What is typed over its cells, by column. */
  readonly typed: Readonly<Record<string, string>>;
}

/** What would become of a row of the file. */
export interface LookedRow extends RowLook {
  readonly line: number;
  /** What the row calls its item: by its name, or else a code. */
  readonly name: string;
  /** What the row says. */
  readonly body: Row;
}

/** What the file says, besides its rows. */
export type SheetForm = Omit<Sheet, 'rows'>;

/** What only the user can know. */
export interface ImportQuestion extends Omit<SheetQuestion, 'option' | 'rule'> {
  /** `match`: which items the rows of an export of this account are. */
  readonly option: SheetQuestion['option'] | 'match';
  /** `own_export`, with one of its items in the `values`. */
  readonly rule: SheetQuestion['rule'] | 'own_export';
}

interface OfFile {
  /** The file's name. */
  readonly file: string;
}

interface OfSheet extends OfFile {
  readonly answers: SheetAnswers;
  readonly choices: RowChoices;
  readonly sheet: SheetForm;
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
      readonly step: 'looking';
      readonly looked: number;
      readonly total: number;
      /** What it waits for to end before it tries again. */
      readonly waiting: ImportFailure | null;
    })
  | (OfSheet & {
      readonly step: 'looked';
      /** In the order of their lines. Rows that cannot be read are refused. */
      readonly looks: readonly LookedRow[];
      readonly counts: Look['counts'];
      readonly rejected: readonly RejectedRow[];
      /** The lines of new items that would get the price 0, although nobody has written it. To be asked about. */
      readonly withoutPrice: readonly number[];
      /** Whether an earlier visit has begun to import these rows, so that `start` goes on. */
      readonly isOpen: boolean;
    })
  | (OfRun & { readonly step: 'sending'; readonly waiting: ImportFailure | null })
  | (OfRun & {
      readonly step: 'stopped';
      readonly failure: ImportFailure | null;
      /** What it has written, for an undo. */
      readonly undoTarget: UndoTarget | null;
    })
  | (OfRun & { readonly step: 'done'; readonly undoTarget: UndoTarget | null });

/** The state of a step. */
export type StateIn<Step extends ImportState['step']> = Extract<ImportState, { step: Step }>;
