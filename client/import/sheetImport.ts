import type { CallerStorage, Catalog, Client } from '../http/catalogClient.ts';
import type { PollOptions } from '../http/retryUntilDone.ts';
import { addCategories } from '../items/addCategories.ts';
import { askBeforeLeaving } from '../state/askBeforeLeaving.ts';
import { Store } from '../state/store.ts';
import { storedEntries } from '../storage/storedEntries.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import {
  type ColumnMapping,
  type ImportQuestion,
  ownExport,
  readSheet,
  type Sheet,
  type SheetAnswers,
  UnreadableSheet,
  writeRejects,
} from './1-read.ts';
import type { ImportPreview } from './2-preview.ts';
import type { ImportOptions, ImportProgress } from './3-write.ts';
import { failureOf, ImportError, ImportExpired, type ImportFailure } from './importFailure.ts';
import type {
  ActsOfSteps,
  ImportActs,
  ImportFile,
  ImportState,
  ImportStep,
  SheetForm,
  StateIn,
} from './importState.ts';
import { nameInactive, reactivateItems } from './nameInactive.ts';
import { type RejectedRow, rejectedBy } from './row.ts';
import {
  ImportRows,
  keepStoredTypes,
  prepareSheet,
  type RowChoices,
  skipWithoutPrice,
  warnOfLostZeros,
  warnOfRounding,
  warnOfTotals,
  withoutPrice,
} from './rows.ts';

export interface SheetImportOptions extends PollOptions, RowChoices, Pick<ImportOptions, 'key' | 'requireStorage'> {
  readonly client: Client;
  /** The result of `loadCatalog`. */
  readonly catalog: Pick<Catalog, 'account' | 'user' | 'categories' | 'units' | 'defaults'>;
  /** Keeps how to resume after a reload, and what columns were mapped to. */
  readonly storage: CallerStorage | undefined;
  /** What is known of files beforehand. */
  readonly answers?: SheetAnswers;
  /** How files are read, which is `readSheet` unless given. */
  readonly read?: (file: ImportFile, answers: SheetAnswers, categories: Catalog['categories']) => Promise<Sheet>;
  /** Is given the rejected rows before the import is marked as finished. If it fails, the import can be resumed. */
  readonly finish?: (form: SheetForm, rejected: readonly RejectedRow[]) => void;
}

/** What previews rows and writes them. As the worker, it is loaded with a file, before anything is asked or written. */
async function loadWriting() {
  try {
    return await import('./3-write.ts');
  } catch (cause) {
    throw new ImportError('not_loaded', { cause });
  }
}

/** Each step with what its acts do. */
type Steps = {
  readonly [Step in ImportStep]: {
    readonly [Act in ActsOfSteps[Step]]: (
      state: StateIn<Step>,
      ...args: Parameters<ImportActs[Act]>
    ) => ReturnType<ImportActs[Act]>;
  };
};

/** A sheet as it was read, with its rows. */
interface Loaded {
  form: SheetForm;
  readonly rows: ImportRows;
  /** Stands for the rows, once they were previewed. */
  hash: string | undefined;
}

/**
 * The import of a sheet: reads a file, asks what is ambiguous, previews its rows, writes them, and has the rejected ones
 * fixed. It needs neither a page nor a library. `dispose` pauses it.
 * @example const sheets = new SheetImport({ client, catalog, storage: localStorage }); // sheets.load(file)
 */
export class SheetImport extends Store<ImportState> implements ImportActs {
  readonly #steps = this.#stepsOf();
  #options: SheetImportOptions;
  #file: ImportFile | undefined;
  #answers: SheetAnswers = {};
  /** Whether what columns are was answered about an earlier file. */
  #isRemembered = false;
  /** What was answered about this file, and of no other one. */
  #match: RowChoices['match'];
  #loaded: Loaded | undefined;
  #writing: Awaited<ReturnType<typeof loadWriting>> | undefined;
  /** Those of the account, once it has added some. */
  #categories: Catalog['categories'] | undefined;

  constructor(options: SheetImportOptions) {
    super({ step: 'ready' });
    this.#options = options;
  }

  readonly load: ImportActs['load'] = (file) => this.#act('load', file);
  readonly answer: ImportActs['answer'] = (option, text) => this.#act('answer', option, text);
  readonly setColumns: ImportActs['setColumns'] = (mapping) => this.#act('setColumns', mapping);
  readonly start: ImportActs['start'] = () => this.#act('start');
  readonly pause: ImportActs['pause'] = () => void this.#act('pause');
  readonly resume: ImportActs['resume'] = () => this.#act('resume');
  readonly editCell: ImportActs['editCell'] = (...args) => void this.#act('editCell', ...args);
  readonly retryRejected: ImportActs['retryRejected'] = () => this.#act('retryRejected');
  readonly reactivateItems: ImportActs['reactivateItems'] = () => this.#act('reactivateItems');
  readonly addCategories: ImportActs['addCategories'] = () => this.#act('addCategories');
  readonly close: ImportActs['close'] = () => void this.#act('close');

  /**
   * Takes other options from now on, such as a client with another token of the same user. Rows that were previewed are
   * previewed again if it is about them. While it writes, that changes nothing.
   */
  readonly setOptions = async (more: Partial<SheetImportOptions>): Promise<void> => {
    const { step } = this.getState();
    const isBusy = step === 'sending' || step === 'adding';
    const isOfRows = 'match' in more || 'create' in more || 'withoutPrice' in more;
    const { match, create, withoutPrice } = isBusy ? this.#options : { ...this.#options, ...more };
    this.#options = { ...this.#options, ...more, match, create, withoutPrice };
    if ('match' in more && !isBusy) this.#match = undefined;
    if (!isOfRows || isBusy || this.#loaded === undefined) return;
    this.#loaded.rows.forget(this.#loaded.rows.all.filter(({ outcome }) => outcome !== 'done'));
    await this.#run(this.#preview);
  };

  /** The rejected rows as CSV, to be fixed elsewhere. */
  readonly rejects = (): string =>
    this.#loaded === undefined ? '' : writeRejects(this.#loaded.form, this.#loaded.rows.rejected);

  protected override end(): void {
    this.pause();
    super.end();
    const state = this.getState();
    if (state.step === 'adding') this.setState({ ...state, step: 'previewed', failure: null });
  }

  /** What can be done in each step. Nothing is there for an act that a step lacks. */
  #stepsOf(): Steps {
    const load = (_: ImportState, file: ImportFile) => this.#load(file);
    const answer = (_: ImportState, ...args: Parameters<ImportActs['answer']>) => this.#answer(...args);
    const close = () => this.#close();
    const retryRejected = () => this.#run(this.#retryRejected);
    const editCell: Steps['done']['editCell'] = (state, ...args) => this.#editCell(state, ...args);
    const ofFile = { load, answer, close };
    const ofSheet = {
      ...ofFile,
      setColumns: ({ sheet }: { readonly sheet: SheetForm }, mapping: ReadonlyMap<string, string>) =>
        this.#setColumns(sheet.mapping, mapping),
    };
    return {
      ready: { load },
      reading: { load, close, pause: close },
      failed: ofFile,
      asking: { ...ofFile, setColumns: ({ columns }, mapping) => this.#setColumns(columns, mapping) },
      previewing: { ...ofSheet, pause: ({ total }) => this.#pause(nothingDone(total)) },
      previewed: {
        ...ofSheet,
        retryRejected,
        editCell: (state, ...args) => this.#editCell(state, ...args),
        start: () => this.#run(this.#write),
        reactivateItems: () => this.#run(this.#reactivateItems),
        addCategories: (state) => this.#run((signal) => this.#addCategories(state, signal)),
      },
      adding: {},
      sending: { pause: ({ progress }) => this.#pause(progress) },
      stopped: {
        ...ofSheet,
        editCell: (state, ...args) => this.#editCell(state, ...args),
        resume: () => this.#run(this.#loaded?.hash === undefined ? this.#preview : this.#write),
        retryRejected: async ({ failure }) => {
          if (!giveUp(failure)) return;
          this.#loaded?.rows.keepRejected();
          await retryRejected();
        },
        close: ({ failure }) => {
          giveUp(failure);
          close();
        },
      },
      done: { ...ofSheet, editCell, retryRejected },
    };
  }

  async #act<Act extends keyof ImportActs>(act: Act, ...args: Parameters<ImportActs[Act]>): Promise<void> {
    const state = this.getState();
    const acts = this.#steps[state.step] as Partial<Record<Act, (of: ImportState, ...given: unknown[]) => unknown>>;
    await acts[act]?.(state, ...args);
  }

  /** What it does ends with its signal. What it throws is shown. */
  async #run(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = this.startTask();
    try {
      await task(signal);
      if (!signal.aborted && this.#options.signal?.aborted === true) this.pause();
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const state = this.getState();
    const failure = failureOf(error, state.step === 'reading' ? 'unreadable' : 'failed');
    if (state.step === 'sending' || state.step === 'previewing') {
      const rows = this.#loaded?.rows;
      const open = failure.lines.flatMap((line) => rows?.get(line) ?? []);
      rows?.apply(open.map((row) => [row, expired]));
      this.#stop(state.step === 'sending' ? state.progress : nothingDone(state.total), failure);
    } else if (state.step === 'adding') this.setState({ ...state, step: 'previewed', failure });
    else this.setState({ step: 'failed', file: this.#name, failure });
  }

  get #name(): string {
    return this.#file?.name ?? '';
  }

  /** What the column of a name was mapped to. */
  get #columns() {
    return storedEntries<string>(this.#options.storage, 'catalog.columns');
  }

  async #load(file: ImportFile): Promise<void> {
    // What was answered about one file says nothing of the next one.
    const before = this.#file === undefined ? this.#answers.decimal : undefined;
    this.#file = file;
    this.#isRemembered = false;
    this.#match = undefined;
    const { answers } = this.#options;
    await this.#readWith({ ...answers, decimal: before ?? answers?.decimal });
  }

  async #answer(...[option, text]: Parameters<ImportActs['answer']>): Promise<void> {
    if (option === 'match') this.#match = text as RowChoices['match'];
    else {
      const value = option === 'header' ? Number(text) : text;
      this.#answers = { ...this.#answers, [option]: text === '' ? undefined : value };
    }
    await this.#readWith(this.#answers);
  }

  async #setColumns(columns: readonly ColumnMapping[], mapping: ReadonlyMap<string, string>): Promise<void> {
    this.#isRemembered = false;
    for (const { name } of columns) this.#columns.write(name, mapping.get(name) ?? 'ignore');
    await this.#readWith({ ...this.#answers, columns: answerOf(columns, ({ name }) => mapping.get(name)) });
  }

  #editCell(
    state: StateIn<'previewed' | 'stopped' | 'done'>,
    ...[lines, column, text]: Parameters<ImportActs['editCell']>
  ): void {
    const rows = this.#loaded?.rows;
    if (rows === undefined) return;
    const edits = { ...this.#answers.edits };
    for (const line of [lines].flat()) {
      const row = rows.get(line);
      if (row?.outcome !== 'rejected') continue;
      edits[line] = { ...edits[line], [column]: text };
      rows.set({ ...row, cells: { ...row.cells, [column]: text } });
    }
    this.#answers = { ...this.#answers, edits };
    this.setState({ ...state, rejected: rows.rejected });
  }

  #close(): void {
    this.startTask();
    this.#file = undefined;
    this.#loaded = undefined;
    this.setState({ step: 'ready' });
  }

  #pause(progress: ImportProgress): void {
    this.startTask();
    this.#stop(progress, null);
  }

  #stop(progress: ImportProgress, failure: ImportFailure | null): void {
    const loaded = this.#loaded;
    if (loaded === undefined) return;
    const undoTarget = this.#undoTarget(loaded, progress);
    this.setState({ ...this.#ofSheet(loaded), step: 'stopped', progress, failure, undoTarget });
  }

  async #readWith(answers: SheetAnswers): Promise<void> {
    this.#answers = answers;
    this.#loaded = undefined;
    if (this.#file !== undefined) await this.#run(this.#readFile);
  }

  #read(): Promise<Sheet> {
    const { catalog, read = readSheet } = this.#options;
    return read(this.#file ?? new Blob([]), this.#answers, this.#categories ?? catalog.categories);
  }

  readonly #readFile = async (signal: AbortSignal): Promise<void> => {
    this.setState({ step: 'reading', file: this.#name });
    const reading = this.#read().catch((error) => {
      if (error instanceof UnreadableSheet) return error;
      throw error;
    });
    const [sheet, writing] = await Promise.all([reading, this.#writing ?? loadWriting()]);
    this.#writing = writing;
    if (signal.aborted) return;
    if (sheet instanceof UnreadableSheet) return this.#ask(sheet, signal);
    const { rows, ...read } = sheet;
    const form = this.#isRemembered ? { ...read, warnings: [...read.warnings, ...leftOutBefore(read)] } : read;
    const isSaid = this.#said.choices.match !== undefined;
    const question = isSaid ? undefined : await ownExport(this.#options.client, rows, { ...this.#options, signal });
    if (signal.aborted) return;
    if (question !== undefined) return this.#asking([question], form.mapping);
    this.#loaded = { form, rows: ImportRows.ofSheet(rows), hash: undefined };
    await this.#preview(signal);
  };

  /** What columns were mapped to is known. What is asked besides, also of other columns, is asked after that. */
  async #ask({ questions, mapping }: UnreadableSheet, signal: AbortSignal): Promise<void> {
    const known = mapping.filter(({ name }) => this.#columns.read(name) !== undefined);
    const isNew = known.some(({ target }) => target === undefined) && this.#answers.columns === undefined;
    if (!isNew) return this.#asking(questions, mapping);
    this.#isRemembered = true;
    this.#answers = { ...this.#answers, columns: answerOf(known, ({ name }) => this.#columns.read(name)) };
    await this.#readFile(signal);
  }

  #asking(questions: readonly ImportQuestion[], columns: readonly ColumnMapping[]): void {
    const { answers, choices } = this.#said;
    this.setState({ step: 'asking', file: this.#name, answers, choices, questions, columns });
  }

  get #said() {
    const { match, create, withoutPrice } = this.#options;
    return { answers: this.#answers, choices: { match: this.#match ?? match, create, withoutPrice } };
  }

  /** What the states of a sheet have in common. */
  #ofSheet({ form, rows }: Loaded) {
    return { ...this.#said, file: this.#name, sheet: form, rejected: rows.rejected };
  }

  #rowOptions(signal: AbortSignal, { form, rows }: Loaded): ImportOptions {
    const { signal: given, onFailure, finish } = this.#options;
    const { match } = this.#said.choices;
    return {
      ...this.#options,
      file: this.#file?.name,
      match: match === 'id' || match === 'none' ? undefined : match,
      signal: given === undefined ? signal : AbortSignal.any([signal, given]),
      onFailure: (error) => {
        const state = this.getState();
        if (state.step === 'previewing' || state.step === 'sending')
          this.setState({ ...state, waiting: failureOf(error, 'no_answer') });
        onFailure?.(error);
      },
      finish: () => finish?.(form, rows.rejected),
    };
  }

  readonly #preview = async (signal: AbortSignal): Promise<void> => {
    const [loaded, writing, { client, create, catalog }] = [this.#loaded, this.#writing, this.#options];
    if (loaded === undefined || writing === undefined) return;
    const { form, rows } = loaded;
    loaded.hash = undefined;
    prepareSheet(rows, this.#said.choices, create !== false && form.mapping.some(({ target }) => target === 'id'));
    const total = rows.counts.unread;
    const common = { ...this.#ofSheet(loaded), step: 'previewing', total, waiting: null } as const;
    this.setState({ ...common, previewed: 0 });
    let last: ImportPreview | undefined;
    for await (last of writing.preview(client, rows, this.#rowOptions(signal, loaded)))
      if (!signal.aborted) this.setState({ ...common, previewed: total - last.counts.unread });
    if (last === undefined || last.left > 0 || signal.aborted) return;
    if (this.#options.withoutPrice === 'skip') skipWithoutPrice(rows, form.mapping);
    keepStoredTypes(rows, form.isExport);
    warnOfLostZeros(rows);
    warnOfRounding(rows, catalog);
    warnOfTotals(rows);
    await nameInactive(client, rows, { ...this.#options, signal });
    if (signal.aborted) return;
    loaded.hash = last.hash;
    this.setState({
      ...this.#ofSheet(loaded),
      step: 'previewed',
      rows: rows.all,
      counts: rows.counts,
      withoutPrice: withoutPrice(rows, form.mapping).map(({ line }) => line),
      isOpen: last.isOpen,
      failure: null,
    });
  };

  readonly #write = async (signal: AbortSignal): Promise<void> => {
    const [loaded, writing] = [this.#loaded, this.#writing];
    if (loaded?.hash === undefined || writing === undefined) return;
    const { rows, hash } = loaded;
    const mayLeave = askBeforeLeaving();
    const show = (progress: ImportProgress) => {
      if (!signal.aborted) this.setState({ ...this.#ofSheet(loaded), step: 'sending', progress, waiting: null });
    };
    let progress = nothingDone(rows.size);
    show(progress);
    try {
      for await (progress of writing.write(this.#options.client, rows, hash, this.#rowOptions(signal, loaded)))
        show(progress);
    } finally {
      mayLeave();
    }
    if (signal.aborted || progress.left > 0) return;
    const undoTarget = this.#undoTarget(loaded, progress);
    rows.keepRejected();
    this.setState({ ...this.#ofSheet(loaded), step: 'done', progress, undoTarget });
  };

  /** What the import has written, if it has: then it is the last one of its rows. */
  #undoTarget({ rows, hash }: Loaded, { done, unchanged }: ImportProgress): UndoTarget | null {
    const { client, catalog, storage } = this.#options;
    if (hash === undefined || done <= unchanged + rows.counts.duplicate) return null;
    return this.#writing?.lastImports(client, catalog, { storage, hash })[0] ?? null;
  }

  /** Reads the rows again that were typed over. The answers go with them, and what was found without an answer. */
  readonly #retryRejected = async (signal: AbortSignal): Promise<void> => {
    const loaded = this.#loaded;
    if (loaded === undefined) return;
    const { edits = {} } = this.#answers;
    await this.#readAgain(loaded, (row) => edits[row.line] !== undefined, signal);
  };

  async #readAgain(loaded: Loaded, isRead: (row: RejectedRow) => boolean, signal: AbortSignal): Promise<void> {
    const lines = new Set(loaded.rows.rejected.filter(isRead).map(({ line }) => line));
    const total = loaded.rows.counts.rejected;
    this.setState({ ...this.#ofSheet(loaded), step: 'previewing', previewed: 0, total, waiting: null });
    loaded.hash = undefined;
    if (lines.size > 0) {
      const { decimalMark: decimal, mapping } = loaded.form;
      this.#answers = { ...this.#answers, decimal, columns: answerOf(mapping, ({ target }) => target) };
      const { rows, ...form } = await this.#read();
      if (signal.aborted) return;
      loaded.rows.replace(rows.filter(({ line }) => lines.has(line)));
      loaded.form = form;
    }
    loaded.rows.forget(loaded.rows.rejected);
    await this.#preview(signal);
  }

  readonly #reactivateItems = async (signal: AbortSignal): Promise<void> => {
    if (this.#loaded !== undefined) reactivateItems(this.#loaded.rows);
    await this.#preview(signal);
  };

  async #addCategories(state: StateIn<'previewed'>, signal: AbortSignal): Promise<void> {
    const { client, catalog } = this.#options;
    const loaded = this.#loaded;
    if (loaded === undefined) return;
    this.setState({ ...state, step: 'adding' });
    const shown = { categories: this.#categories ?? catalog.categories };
    const options = { ...this.#options, signal };
    this.#categories = await addCategories(client, shown, loaded.form.unknownCategories, options);
    if (signal.aborted) return;
    const { edits = {} } = this.#answers;
    const isUncategorised = ({ line, problems }: RejectedRow) =>
      edits[line] !== undefined || problems.some(({ rule }) => rule === 'unknown_category');
    await this.#readAgain(loaded, isUncategorised, signal);
  }
}

/** The columns with values that are left out because an earlier file's were. */
function leftOutBefore({ mapping }: SheetForm): SheetForm['warnings'] {
  const columns = mapping
    .filter(({ target, source, examples = [] }) => target === 'ignore' && source === 'answer' && examples.length > 0)
    .map(({ name }) => name);
  const text = `Columns left out, as in an earlier file: ${columns.join(', ')}.`;
  return columns.length === 0 ? [] : [{ rule: 'left_out_before', values: { columns }, text }];
}

/** Gives an import up that has expired. @returns false if it has not */
function giveUp(failure: ImportFailure | null): boolean {
  const cause = failure?.cause;
  if (!(cause instanceof ImportExpired)) return false;
  cause.giveUp();
  return true;
}

const expired = rejectedBy(0, {
  code: 'EXPIRED',
  message: 'may have been written a day ago, or not: compare it with the items',
});

/** The targets of columns as an answer. A column without one is left out of the items. */
const answerOf = (columns: readonly ColumnMapping[], targetOf: (column: ColumnMapping) => string | undefined): string =>
  columns.map((column) => `${column.name}=${targetOf(column) ?? 'ignore'}`).join(',');

const nothingDone = (left: number): ImportProgress => ({
  done: 0,
  replayed: 0,
  unchanged: 0,
  created: 0,
  updated: 0,
  rejected: 0,
  left,
  rowsPerSecond: 0,
  rejectedRows: [],
  isSaved: true,
});
