import { customKey, customName } from '../../lib/item/customName.ts';
import type { CallerStorage, Catalog, Client } from '../http/catalogClient.ts';
import type { PollOptions } from '../http/retryUntilDone.ts';
import { addCategories } from '../items/configureCatalog.ts';
import { type ColumnMapping, type SheetAnswers, UnreadableSheet } from '../sheet/notices.ts';
import { askBeforeLeaving } from '../state/askBeforeLeaving.ts';
import { Store } from '../state/store.ts';
import { storedEntries } from '../storage/storedEntries.ts';
import type { UndoTarget } from '../undo/undoTarget.ts';
import type { ImportQuestion, Sheet, SheetForm } from './1-read.ts';
import { ownExport, readSheet, writeRejects } from './1-read.ts';
import type { ImportPreview } from './2-preview.ts';
import type { ImportOptions, ImportProgress } from './3-write.ts';
import { failureOf, ImportError, ImportExpired, type ImportFailure } from './importFailure.ts';
import type { ImportActs, ImportFile, ImportState, ImportStep, StateIn } from './importState.ts';
import type { RejectedRow } from './row.ts';
import { ImportRows } from './rows.ts';
import { compareItems, prepareRows, type RowChoices, reactivateItems, reviewRows, withoutPrice } from './sheetRows.ts';

export interface SheetImportOptions extends PollOptions, RowChoices, Pick<ImportOptions, 'key' | 'requireStorage'> {
  readonly client: Client;
  /** The result of `loadCatalog`. */
  readonly catalog: Pick<Catalog, 'account' | 'user' | 'categories' | 'units' | 'defaults'>;
  /** Keeps how to resume after a reload, and what columns were mapped to. */
  readonly storage: CallerStorage | undefined;
  /** Answers about files that are given beforehand. */
  readonly answers?: SheetAnswers | undefined;
  /** How files are read, which is `readSheet` unless given. */
  readonly read?:
    | ((file: ImportFile, answers: SheetAnswers, categories: Catalog['categories']) => Promise<Sheet>)
    | undefined;
  /** Is given the rejected rows before the import is marked as finished. If it fails, the import can be resumed. */
  readonly finish?: ((form: SheetForm, rejected: readonly RejectedRow[]) => void) | undefined;
}

/** What previews rows and writes them. As the worker, it is loaded with a file, before anything is asked or written. */
async function loadWriting() {
  try {
    return await import('./3-write.ts');
  } catch (cause) {
    throw new ImportError('not_loaded', { cause });
  }
}

/** The steps in which the file was read, and those in which rows of it can be fixed. */
const stepsOfSheet = ['asking', 'previewing', 'previewed', 'stopped', 'done'] as const;
const stepsOfRows = ['previewed', 'stopped', 'done'] as const;

/** A sheet as it was read, with its rows. */
interface Loaded {
  form: SheetForm;
  rows: ImportRows;
  /** The lines to be read again before the next preview. */
  readonly stale: Set<number>;
  readonly writing: Awaited<ReturnType<typeof loadWriting>>;
  /** Stands for the rows, once they were previewed. */
  hash: string | undefined;
}

/**
 * The import of a sheet: reads a file, asks what is ambiguous, previews its rows, writes them, and has the rejected ones
 * fixed. It needs neither a page nor a library. `dispose` pauses it.
 * @example const sheets = new SheetImport({ client, catalog, storage: localStorage }); // sheets.load(file)
 */
export class SheetImport extends Store<ImportState> implements ImportActs {
  #options: SheetImportOptions;
  #file: ImportFile | undefined;
  /** What was answered about this file, and of no other one. */
  #answers: SheetAnswers = {};
  #match: RowChoices['match'];
  /** Whether what columns are was answered about an earlier file. */
  #isRemembered = false;
  #loaded: Loaded | undefined;
  /** The categories that were added, which the catalog can lack. */
  #added: Catalog['categories'] = [];

  constructor(options: SheetImportOptions) {
    super({ step: 'ready' });
    this.#options = options;
  }

  readonly load: ImportActs['load'] = this.#in(['ready', 'reading', 'failed', ...stepsOfSheet], async (_, file) => {
    this.#file = file;
    this.#isRemembered = false;
    this.#match = undefined;
    await this.#readWith({ ...this.#options.answers });
  });

  readonly answer: ImportActs['answer'] = this.#in(['failed', ...stepsOfSheet], async (_, option, text) => {
    const given = text === '' ? undefined : text;
    if (option === 'match') this.#match = given as RowChoices['match'];
    else {
      const value = option === 'header' && given !== undefined ? Number(given) : given;
      this.#answers = { ...this.#answers, [option]: value };
    }
    await this.#readWith(this.#answers);
  });

  readonly setColumns: ImportActs['setColumns'] = this.#in(stepsOfSheet, async (state, mapping) => {
    const columns = state.step === 'asking' ? state.columns : state.sheet.mapping;
    this.#isRemembered = false;
    for (const { name } of columns) this.#columns.write(name, mapping.get(name) ?? 'ignore');
    await this.#readWith({ ...this.#answers, columns: answerOf(columns, ({ name }) => mapping.get(name)) });
  });

  readonly start: ImportActs['start'] = this.#in(['previewed'], () => this.#runOn(this.#resume));

  readonly resume: ImportActs['resume'] = this.#in(['stopped'], () => this.#runOn(this.#resume));

  readonly pause: ImportActs['pause'] = this.#in(['reading', 'previewing', 'sending'], (state) => {
    if (state.step === 'reading') this.#close();
    else this.#stop(state, null);
  });

  readonly editCell: ImportActs['editCell'] = this.#in(stepsOfRows, (state, lines, column, text) => {
    if (this.#loaded === undefined) return;
    const { rows, stale } = this.#loaded;
    const edits = { ...this.#answers.edits };
    for (const line of [lines].flat()) {
      const row = rows.get(line);
      if (row?.outcome !== 'rejected') continue;
      edits[line] = { ...edits[line], [column]: text };
      stale.add(line);
      rows.set({ ...row, cells: { ...row.cells, [column]: text } });
    }
    this.#answers = { ...this.#answers, edits };
    this.setState({ ...state, rejected: rows.rejected });
  });

  readonly retryRejected: ImportActs['retryRejected'] = this.#in(stepsOfRows, async (state) => {
    const isStopped = state.step === 'stopped';
    if (isStopped && !giveUp(state.failure)) return;
    await this.#previewAgain((loaded) => {
      if (isStopped) keepRejected(loaded);
      loaded.rows.forget(loaded.rows.rejected);
    });
  });

  readonly reactivateItems: ImportActs['reactivateItems'] = this.#in(['previewed'], () =>
    this.#previewAgain(({ rows }) => reactivateItems(rows)),
  );

  readonly addCategories: ImportActs['addCategories'] = this.#in(['previewed'], (state) =>
    this.#runOn(async (loaded, signal) => {
      this.setState({ ...state, step: 'adding' });
      const shown = { categories: this.#categories };
      const options = { ...this.#options, signal };
      const added = await addCategories(this.#options.client, shown, loaded.form.unknownCategories, options);
      this.#added = [...this.#added, ...added];
      if (signal.aborted) return;
      const { rows, stale } = loaded;
      for (const { line, problems } of rows.rejected)
        if (problems.some(({ rule }) => rule === 'unknown_category')) stale.add(line);
      rows.forget(rows.rejected);
      await this.#preview(loaded, signal);
    }),
  );

  readonly close: ImportActs['close'] = this.#in(['reading', 'failed', ...stepsOfSheet], (state) => {
    if (state.step === 'stopped') giveUp(state.failure);
    this.#close();
  });

  /** An act of some steps. In another step it does nothing. */
  #in<Step extends ImportStep, Args extends unknown[]>(
    steps: readonly Step[],
    act: (state: StateIn<Step>, ...args: Args) => void | Promise<void>,
  ) {
    return async (...args: Args): Promise<void> => {
      const state = this.getState();
      if (steps.some((step) => step === state.step)) await act(state as StateIn<Step>, ...args);
    };
  }

  /**
   * Takes other options from now on, such as a client with another token of the same user. Rows that were previewed are
   * previewed again if it is about them. While it writes, that changes nothing.
   */
  readonly setOptions = async (more: Partial<SheetImportOptions>): Promise<void> => {
    const state = this.getState();
    const isBusy = state.step === 'sending' || state.step === 'adding';
    const isOfRows = 'match' in more || 'create' in more || 'withoutPrice' in more;
    const { match, create, withoutPrice } = isBusy ? this.#options : { ...this.#options, ...more };
    this.#options = { ...this.#options, ...more, match, create, withoutPrice };
    if (!isOfRows || isBusy) return;
    if ('match' in more) this.#match = undefined;
    if (state.step === 'asking') {
      const isAnswered = match !== undefined && state.questions.some(({ option }) => option === 'match');
      if (isAnswered) return this.#readWith(this.#answers);
      this.setState({ ...state, ...this.#said });
    }
    await this.#previewAgain(({ rows }) => rows.forget(rows.all.filter(({ outcome }) => outcome !== 'done')));
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

  /** What it does ends with its signal, or that of the options. What it throws is shown. */
  async #run(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal: given } = this.#options;
    const own = this.startTask();
    const signal = given === undefined ? own : AbortSignal.any([own, given]);
    try {
      await task(signal);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
    if (given?.aborted === true && !own.aborted) this.dispose();
  }

  async #runOn(task: (loaded: Loaded, signal: AbortSignal) => Promise<void>): Promise<void> {
    const loaded = this.#loaded;
    if (loaded !== undefined) await this.#run((signal) => task(loaded, signal));
  }

  /** @param forget forgets what is known of some rows */
  #previewAgain(forget: (loaded: Loaded) => void): Promise<void> {
    return this.#runOn((loaded, signal) => {
      forget(loaded);
      return this.#preview(loaded, signal);
    });
  }

  #fail(error: unknown): void {
    const state = this.getState();
    const failure = failureOf(error, state.step === 'reading' ? 'unreadable' : 'failed');
    if (state.step === 'sending' || state.step === 'previewing') this.#stop(state, failure);
    else if (state.step === 'adding') this.setState({ ...state, step: 'previewed', failure });
    else this.setState({ step: 'failed', file: this.#name, failure });
  }

  #stop(state: StateIn<'previewing' | 'sending'>, failure: ImportFailure | null): void {
    const loaded = this.#loaded;
    if (loaded === undefined) return;
    this.startTask();
    const progress = state.step === 'sending' ? state.progress : nothingDone(state.total);
    const undoTarget = this.#undoTarget(loaded, progress);
    this.setState({ ...this.#ofSheet(loaded), step: 'stopped', progress, failure, undoTarget });
  }

  #close(): void {
    this.startTask();
    this.#file = undefined;
    this.#loaded = undefined;
    this.setState({ step: 'ready' });
  }

  get #name(): string {
    return this.#file?.name ?? '';
  }

  /** What the column of a name was mapped to. */
  get #columns() {
    return storedEntries<string>(this.#options.storage, 'catalog.columns');
  }

  get #categories(): Catalog['categories'] {
    const { categories } = this.#options.catalog;
    const isNew = ({ id }: Catalog['categories'][number]) => categories.every((known) => known.id !== id);
    return [...categories, ...this.#added.filter(isNew)];
  }

  get #said() {
    const { match, create, withoutPrice } = this.#options;
    return { answers: this.#answers, choices: { match: this.#match ?? match, create, withoutPrice } };
  }

  /** What the states of a sheet have in common. */
  #ofSheet({ form, rows }: Loaded) {
    return { ...this.#said, file: this.#name, sheet: form, rejected: rows.rejected };
  }

  async #readWith(answers: SheetAnswers): Promise<void> {
    this.#answers = answers;
    this.#loaded = undefined;
    await this.#run(this.#readFile);
  }

  #read(): Promise<Sheet> {
    const { read = readSheet } = this.#options;
    return read(this.#file ?? new Blob([]), this.#answers, this.#categories);
  }

  readonly #readFile = async (signal: AbortSignal): Promise<void> => {
    this.setState({ step: 'reading', file: this.#name });
    const reading = this.#read().catch((error) => {
      if (error instanceof UnreadableSheet) return error;
      throw error;
    });
    const [sheet, writing] = await Promise.all([reading, loadWriting()]);
    if (signal.aborted) return;
    if (sheet instanceof UnreadableSheet) return this.#ask(sheet, signal);
    const { rows, ...read } = sheet;
    const form = this.#isRemembered ? { ...read, warnings: [...read.warnings, ...leftOutBefore(read)] } : read;
    const isSaid = this.#said.choices.match !== undefined;
    const question = isSaid ? undefined : await ownExport(this.#options.client, rows, { ...this.#options, signal });
    if (signal.aborted) return;
    if (question !== undefined) return this.#asking([question], form.mapping);
    const loaded = { form, rows: ImportRows.ofSheet(rows), stale: new Set<number>(), writing, hash: undefined };
    this.#loaded = loaded;
    await this.#preview(loaded, signal);
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
    this.setState({ ...this.#said, step: 'asking', file: this.#name, questions, columns });
  }

  #rowOptions(signal: AbortSignal, { form, rows }: Loaded): ImportOptions {
    const { onFailure, finish } = this.#options;
    const { match } = this.#said.choices;
    return {
      ...this.#options,
      file: this.#file?.name,
      match: match === 'id' || match === 'none' ? undefined : match,
      signal,
      onFailure: (error) => {
        const state = this.getState();
        if (state.step === 'previewing' || state.step === 'sending')
          this.setState({ ...state, waiting: failureOf(error, 'no_answer') });
        onFailure?.(error);
      },
      finish: () => finish?.(form, rows.rejected),
    };
  }

  readonly #preview = async (loaded: Loaded, signal: AbortSignal): Promise<void> => {
    // A task that was ended may still find something out, of the rows as they were.
    loaded.rows = new ImportRows(loaded.rows.all, true);
    const { rows, stale, writing } = loaded;
    const { client, catalog } = this.#options;
    const { choices } = this.#said;
    const begin = () => {
      const { unread: total } = rows.counts;
      const state = { ...this.#ofSheet(loaded), step: 'previewing', previewed: 0, total, waiting: null } as const;
      this.setState(state);
      return state;
    };
    loaded.hash = undefined;
    if (stale.size > 0) {
      begin();
      await this.#readStale(loaded, signal);
      if (signal.aborted) return;
    }
    prepareRows(loaded, choices);
    const state = begin();
    let last: ImportPreview | undefined;
    for await (last of writing.preview(client, rows, this.#rowOptions(signal, loaded)))
      if (!signal.aborted) this.setState({ ...state, previewed: state.total - last.counts.unread });
    if (last === undefined || last.left > 0 || signal.aborted) return;
    reviewRows(loaded, choices, catalog);
    await compareItems(client, loaded, { ...this.#options, signal });
    if (signal.aborted) return;
    loaded.hash = last.hash;
    this.setState({
      ...this.#ofSheet(loaded),
      step: 'previewed',
      rows: rows.all,
      counts: rows.counts,
      withoutPrice: withoutPrice(loaded).map(({ line }) => line),
      isOpen: last.isOpen,
      failure: null,
    });
  };

  /** The answers go with the rows, and what was found without an answer. */
  async #readStale(loaded: Loaded, signal: AbortSignal): Promise<void> {
    const { form, rows, stale } = loaded;
    const { decimalMark: decimal, mapping } = form;
    this.#answers = { ...this.#answers, decimal, columns: answerOf(mapping, ({ target }) => target) };
    const { rows: read, ...again } = await this.#read();
    if (signal.aborted) return;
    for (const sheetRow of read.filter(({ line }) => stale.has(line))) {
      const row = rows.get(sheetRow.line);
      if (row !== undefined) rows.set({ ...row, sheetRow, cells: sheetRow.cells });
    }
    loaded.form = again;
    stale.clear();
  }

  readonly #resume = (loaded: Loaded, signal: AbortSignal): Promise<void> =>
    loaded.hash === undefined ? this.#preview(loaded, signal) : this.#write(loaded, loaded.hash, signal);

  async #write(loaded: Loaded, hash: string, signal: AbortSignal): Promise<void> {
    const { rows, writing } = loaded;
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
    keepRejected(loaded);
    this.setState({ ...this.#ofSheet(loaded), step: 'done', progress, undoTarget });
  }

  /** What the import has written, if it has: then it is the last one of its rows. */
  #undoTarget({ rows, hash, writing }: Loaded, { done, unchanged }: ImportProgress): UndoTarget | null {
    const { client, catalog, storage } = this.#options;
    if (hash === undefined || done <= unchanged + rows.counts.duplicate) return null;
    return writing.lastImports(client, catalog, { storage, hash })[0] ?? null;
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

/** Leaves the others, which are written. */
function keepRejected(loaded: Loaded): void {
  loaded.rows = new ImportRows(loaded.rows.rejected, true);
}

/** Gives an import up that has expired. @returns false if it has not */
function giveUp(failure: ImportFailure | null): boolean {
  const cause = failure?.cause;
  if (!(cause instanceof ImportExpired)) return false;
  cause.giveUp();
  return true;
}

/**
 * The targets of columns as an answer. A column without one is left out of the items. Custom fields with the names of their
 * columns are not named again: the name of a column may have commas, that of a target may not.
 */
const answerOf = (columns: readonly ColumnMapping[], targetOf: (column: ColumnMapping) => string | undefined): string =>
  columns
    .map((column) => ({ name: column.name, target: targetOf(column) ?? 'ignore' }))
    .filter(({ name, target }) => name !== target || customKey(name) === undefined)
    .map(({ name, target }) => `${name}=${target === customName(name.trim()) ? 'metadata' : target}`)
    .join(',');

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
