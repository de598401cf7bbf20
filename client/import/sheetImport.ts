import type { CallerStorage, Catalog, Client } from '../http/catalogClient.ts';
import type { PollOptions } from '../http/retryUntilDone.ts';
import { addCategories } from '../items/addCategories.ts';
import { askBeforeLeaving } from '../state/askBeforeLeaving.ts';
import { Store } from '../state/store.ts';
import { storedEntries } from '../storage/storedEntries.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import { failureOf, ImportExpired, type ImportFailure } from './importFailure.ts';
import type { ImportOptions, ImportProgress, Reject } from './importRows.ts';
import type { ImportFile, ImportState, RejectedRow, RowChoices, SheetForm, StateIn } from './importState.ts';
import { lastOf } from './lastOf.ts';
import type { Look } from './lookAtRows.ts';
import { NotLoaded } from './notLoaded.ts';
import { ownExport } from './ownExport.ts';
import { readSheet, type Sheet, type SheetAnswers, UnreadableSheet, writeRejects } from './readSheet.ts';
import { bodyOf, columnsOf, SheetRows } from './sheetRows.ts';

export type {
  ImportFile,
  ImportQuestion,
  ImportState,
  LookedRow,
  RejectedRow,
  RejectProblem,
  RowChoices,
  SheetForm,
} from './importState.ts';
export type { ImportFailure };

export interface SheetImportOptions extends PollOptions, Pick<ImportOptions, 'key' | 'mustNote'> {
  readonly client: Client;
  /** The result of `loadCatalog`. */
  readonly catalog: Pick<Catalog, 'account' | 'user' | 'categories'>;
  /** Keeps how to go on after a reload, and what columns were told to be. */
  readonly storage: CallerStorage | undefined;
  /** How files are read, which is `readSheet` unless given. */
  readonly read?: (file: Blob, answers: SheetAnswers, categories: Catalog['categories']) => Promise<Sheet>;
  /** Is given the rejects before the import counts as ended. If it fails, the import can go on. */
  readonly finish?: (form: SheetForm, rejected: readonly RejectedRow[]) => void;
}

/** What looks at rows and writes them. As the worker, it is loaded with a file, before anything is asked or written. */
async function loadWriting() {
  try {
    return { ...(await import('./importRows.ts')), ...(await import('./lookAtRows.ts')) };
  } catch (cause) {
    throw new NotLoaded({ cause });
  }
}

/**
 * The import of a sheet: reads a file, asks what cannot be known, looks what would become of its rows, writes them, and has
 * the rejects mended. It needs neither a page nor a library. While it sends, only `stop` does something.
 * @example const sheets = new SheetImport({ client, catalog, storage: localStorage }); // sheets.take(file)
 */
export class SheetImport extends Store<ImportState> {
  #options: SheetImportOptions;
  #file: ImportFile | undefined;
  #answers: SheetAnswers = {};
  #choices: RowChoices = {};
  /** Whether they are an answer about this file, and of no other one. */
  #isAnswered = false;
  #rows: SheetRows | undefined;
  #writing: Awaited<ReturnType<typeof loadWriting>> | undefined;
  /** Those of the account, once it has added some. */
  #categories: Catalog['categories'] | undefined;

  constructor(options: SheetImportOptions) {
    super({ step: 'ready' });
    this.#options = options;
  }

  /** Takes others from now on, such as a client with another token of the same user. */
  readonly setOptions = (options: SheetImportOptions): void => {
    this.#options = options;
  };

  /** What the column of a name was told to be. */
  get #columns() {
    return storedEntries<string>(this.#options.storage, 'catalog.columns');
  }

  get #isSending(): boolean {
    return this.getState().step === 'sending';
  }

  /** Reads a file, with what was said of decimals and of the rows before. Nothing of a file before stays. */
  readonly take = async (file: ImportFile): Promise<void> => {
    if (this.#isSending) return;
    this.#file = file;
    if (this.#isAnswered) this.#choices = { ...this.#choices, match: undefined };
    this.#isAnswered = false;
    await this.#read({ decimal: this.#answers.decimal });
  };

  /** Reads the file again, with one more answer to a question; an empty one takes it back. */
  readonly answer = async (option: keyof SheetAnswers | 'match', text: string): Promise<void> => {
    if (this.#isSending) return;
    const value = option === 'header' && text !== '' ? Number(text) : text;
    if (option === 'match') {
      this.#choices = { ...this.#choices, match: text as RowChoices['match'] };
      this.#isAnswered = true;
    } else this.#answers = { ...this.#answers, [option]: value === '' ? undefined : value };
    await this.#read(this.#answers);
  };

  /** Says what each column is, which is known the next time. */
  readonly tell = async (mapping: ReadonlyMap<string, string>): Promise<void> => {
    const state = this.getState();
    const columns = 'sheet' in state ? state.sheet.mapping : state.step === 'asking' ? state.columns : [];
    if (this.#isSending) return;
    for (const { name } of columns) this.#columns.write(name, mapping.get(name) ?? 'ignore');
    await this.#read({ ...this.#answers, columns: columnsOf(columns, ({ name }) => mapping.get(name)) });
  };

  /** Says what the rows are, and looks again. */
  readonly choose = async (more: RowChoices): Promise<void> => {
    if (this.#isSending) return;
    this.#choices = { ...this.#choices, ...more };
    if (this.#rows !== undefined) await this.#run(this.#look);
  };

  /** Does what was looked at. */
  readonly start = async (): Promise<void> => {
    if (this.getState().step === 'looked') await this.#run(this.#send);
  };

  /** Goes on with what was stopped. */
  readonly goOn = async (): Promise<void> => {
    if (this.getState().step === 'stopped') await this.#run(this.#rows?.look === undefined ? this.#look : this.#send);
  };

  /** Ends what is under way. */
  readonly stop = (): void => {
    const state = this.getState();
    this.startTask();
    if (state.step === 'reading') this.setState({ step: 'ready' });
    if (state.step === 'looking') this.#stopped(nothingDone(state.total), null);
    if (state.step === 'sending') this.#stopped(state.progress, null);
  };

  override dispose(): void {
    this.stop();
  }

  /** Forgets the file. */
  readonly reset = (): void => {
    if (this.#isSending) return;
    this.startTask();
    this.#file = undefined;
    this.#rows = undefined;
    this.setState({ step: 'ready' });
  };

  /** Types over a cell of a reject. */
  readonly type = (line: number, column: string, text: string): void => {
    const state = this.getState();
    if (this.#rows === undefined || !('rejected' in state)) return;
    this.#rows.type(line, column, text);
    this.setState({ ...state, rejected: this.#rows.rejected });
  };

  /** Reads what is typed as if it was in a file of its own, and looks at it. The other rows stay as they are. */
  readonly mend = async (): Promise<void> => {
    const { step } = this.getState();
    if (step === 'looked' || step === 'done') await this.#run(this.#mend);
  };

  /** Adds the categories that the file has and the account lacks, and reads their rows again. The undo leaves them. */
  readonly addCategories = async (): Promise<void> => {
    if (this.getState().step === 'looked') await this.#run(this.#addCategories);
  };

  /** The rejects as CSV, to be mended elsewhere. */
  readonly rejects = (): string => {
    const rows = this.#rows;
    return rows === undefined ? '' : writeRejects(rows.form, rows.rejected);
  };

  /** What it does ends with its signal. What it throws is shown. */
  async #run(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = this.startTask();
    try {
      await act.call(this, signal);
      if (!signal.aborted && this.#options.signal?.aborted === true) this.stop();
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const state = this.getState();
    const isFile = state.step === 'reading';
    const failure = failureOf(error, isFile ? 'unreadable' : 'failed', this.#rows?.lineOf);
    if (error instanceof ImportExpired) this.#rows?.refuse(error.rows.map(expired));
    if (state.step === 'sending') this.#stopped(state.progress, failure);
    else if (state.step === 'looking') this.#stopped(nothingDone(state.total), failure);
    else this.setState({ step: 'failed', file: this.#name, failure });
  }

  get #name(): string {
    return this.#file?.name ?? '';
  }

  async #read(answers: SheetAnswers): Promise<void> {
    this.#answers = answers;
    this.#rows = undefined;
    if (this.#file !== undefined) await this.#run(this.#readFile);
  }

  async #readFile(signal: AbortSignal): Promise<void> {
    const { client, catalog, read = readSheet } = this.#options;
    const file = this.#file ?? new Blob([]);
    this.setState({ step: 'reading', file: this.#name });
    const reading = read(file, this.#answers, this.#categories ?? catalog.categories).catch((error) => {
      if (error instanceof UnreadableSheet) return error;
      throw error;
    });
    const [sheet, writing] = await Promise.all([reading, this.#writing ?? loadWriting()]);
    this.#writing = writing;
    if (signal.aborted) return;
    if (sheet instanceof UnreadableSheet) return this.#ask(sheet, signal);
    const { rows, ...form } = sheet;
    const isSaid = this.#choices.match !== undefined;
    const question = isSaid ? undefined : await ownExport(client, rows, { ...this.#options, signal });
    if (signal.aborted) return;
    if (question !== undefined) return this.#asking([question], form.mapping);
    this.#rows = new SheetRows(form, rows);
    await this.#look(signal);
  }

  /** What columns were told to be is known. What is asked besides, also of other columns, is asked after that. */
  async #ask({ questions, mapping }: UnreadableSheet, signal: AbortSignal): Promise<void> {
    const known = mapping.filter(({ name }) => this.#columns.read(name) !== undefined);
    const isNew = known.some(({ target }) => target === undefined) && this.#answers.columns === undefined;
    if (!isNew) return this.#asking(questions, mapping);
    this.#answers = { ...this.#answers, columns: columnsOf(known, ({ name }) => this.#columns.read(name)) };
    await this.#readFile(signal);
  }

  #asking(questions: StateIn<'asking'>['questions'], columns: StateIn<'asking'>['columns']): void {
    const [answers, choices] = [this.#answers, this.#choices];
    this.setState({ step: 'asking', file: this.#name, answers, choices, questions, columns });
  }

  /** What the states of a sheet have in common. */
  #common({ form }: SheetRows) {
    return { file: this.#name, answers: this.#answers, choices: this.#choices, sheet: form };
  }

  #rowOptions(signal: AbortSignal, rows: SheetRows): ImportOptions {
    const { signal: given, onFailure, finish, ...options } = this.#options;
    const { match, create } = this.#choices;
    return {
      ...options,
      create,
      match: match === 'id' || match === 'none' ? undefined : match,
      nameOf: (place) => `line ${rows.lineOf(place)}`,
      signal: given === undefined ? signal : AbortSignal.any([signal, given]),
      onFailure: (error) => {
        const state = this.getState();
        if (state.step === 'looking' || state.step === 'sending')
          this.setState({ ...state, waiting: failureOf(error, 'no_answer') });
        onFailure?.(error);
      },
      finish: () => finish?.(rows.form, rows.rejected),
    };
  }

  async #look(signal: AbortSignal, isKnown = false): Promise<void> {
    const [rows, choices, writing] = [this.#rows, this.#choices, this.#writing];
    if (rows === undefined || writing === undefined) return;
    rows.divide(choices, isKnown);
    const total = rows.readable.length;
    const common = { ...this.#common(rows), step: 'looking', total, waiting: null } as const;
    this.setState({ ...common, looked: 0 });
    const options = this.#rowOptions(signal, rows);
    const bodies = rows.readable.map((row) => bodyOf(row, choices));
    const looking = writing.lookAtRows(this.#options.client, bodies, { ...options, known: rows.known });
    const look = await lastOf(looking, ({ left }) => {
      if (!signal.aborted) this.setState({ ...common, looked: total - left });
    });
    if (look === undefined || look.left > 0 || signal.aborted) return;
    rows.lookedAt(look);
    if (choices.withoutPrice === 'leave') rows.leaveWithoutPrice();
    this.#looked(rows, rows.look ?? look);
  }

  #looked(rows: SheetRows, { counts, isOpen, rows: { length } }: Look): void {
    const { looks, rejected, withoutPrice } = rows;
    const refused = counts.refused + looks.length - length;
    const found = { looks, counts: { ...counts, refused }, rejected, withoutPrice, isOpen };
    this.setState({ ...this.#common(rows), step: 'looked', ...found });
  }

  async #send(signal: AbortSignal): Promise<void> {
    const [rows, writing] = [this.#rows, this.#writing];
    if (rows?.look === undefined || writing === undefined) return;
    const isUnread = rows.rejected.length - rows.look.counts.refused;
    const common = { ...this.#common(rows), step: 'sending', waiting: null } as const;
    const mayLeave = askBeforeLeaving();
    let progress = nothingDone(rows.readable.length);
    this.setState({ ...common, progress, rejected: rows.rejected });
    try {
      const options = { ...this.#rowOptions(signal, rows), look: rows.look };
      const importing = writing.importRows(this.#options.client, [], options);
      await lastOf(importing, (step) => {
        rows.refuse(step.rejects);
        progress = { ...step, refused: step.refused + isUnread };
        if (!signal.aborted) this.setState({ ...common, progress, rejected: rows.rejected });
      });
    } finally {
      mayLeave();
    }
    if (signal.aborted || progress.left > 0) return;
    rows.keepRejected();
    const undoTarget = this.#undoTarget(progress);
    this.setState({ ...this.#common(rows), step: 'done', progress, rejected: rows.rejected, undoTarget });
  }

  /** What the import has written, if it has: then it is the last one of its rows. */
  #undoTarget({ done, unchanged }: ImportProgress): UndoTarget | null {
    const look = this.#rows?.look;
    if (look === undefined || done <= unchanged + look.counts.known) return null;
    return this.#writing?.lastImports(this.#options.storage, this.#options.catalog, look.plan.hash)[0] ?? null;
  }

  #stopped(progress: ImportProgress, failure: ImportFailure | null): void {
    const rows = this.#rows;
    if (rows === undefined) return;
    const undoTarget = this.#undoTarget(progress);
    this.setState({ ...this.#common(rows), step: 'stopped', progress, rejected: rows.rejected, failure, undoTarget });
  }

  async #mend(signal: AbortSignal): Promise<void> {
    if (this.#rows !== undefined) await this.#readAgain(this.#rows, this.#rows.typed, signal);
  }

  async #addCategories(signal: AbortSignal): Promise<void> {
    const { client, catalog } = this.#options;
    const rows = this.#rows;
    if (rows === undefined) return;
    const shown = { categories: this.#categories ?? catalog.categories };
    const options = { ...this.#options, signal };
    this.#categories = await addCategories(client, shown, rows.form.unknownCategories, options);
    if (!signal.aborted) await this.#readAgain(rows, rows.takeUncategorised(), signal);
  }

  /** Reads some rejects as if they were in a file of their own, and looks again. */
  async #readAgain(rows: SheetRows, rejected: readonly RejectedRow[], signal: AbortSignal): Promise<void> {
    const { catalog, read = readSheet } = this.#options;
    const { form } = rows;
    rows.look = undefined;
    this.setState({ ...this.#common(rows), step: 'looking', looked: 0, total: rejected.length, waiting: null });
    if (rejected.length > 0) {
      const { decimalMark: decimal, separator, mapping } = form;
      const answers = { decimal, separator, header: 1, columns: columnsOf(mapping, ({ target }) => target) };
      const again = await read(
        new Blob([writeRejects(form, rejected)]),
        answers,
        this.#categories ?? catalog.categories,
      );
      if (signal.aborted) return;
      rows.mend(rejected, again.rows);
    }
    await this.#look(signal, true);
  }
}

const expired = (row: number): Reject => {
  const message = 'may have been written a day ago, or not: compare it with the items';
  return { row, status: 0, error: { code: 'EXPIRED', message } };
};

const nothingDone = (left: number): ImportProgress => ({
  done: 0,
  replayed: 0,
  unchanged: 0,
  created: 0,
  updated: 0,
  refused: 0,
  left,
  rowsPerSecond: 0,
  rejects: [],
  isNoted: true,
});
