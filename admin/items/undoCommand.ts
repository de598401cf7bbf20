import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { CommandError } from '../../cli/print.ts';
import { usageError, valueOption } from '../../cli/program.ts';
import type { CallerStorage } from '../../client/http/catalogClient.ts';
import { lastImports } from '../../client/import/journal.ts';
import type { UndoProgress } from '../../client/undo/plan/runUndo.ts';
import { type FieldReport, isBack } from '../../client/undo/plan/undoPlan.ts';
import { undo } from '../../client/undo/undoChanges.ts';
import { isField, type UndoTarget } from '../../client/undo/undoTarget.ts';
import { operatorUser } from '../../lib/access/caller.ts';
import { changeKinds } from '../../lib/changes/recordedChange.ts';
import { showAccount } from '../accounts/accounts.ts';
import type { GivenTable, OnTable, Output } from '../adminProgram.ts';
import { fileStorage, nameTable } from '../api/fileStorage.ts';
import { operatorApi } from '../api/operatorApi.ts';
import { columns, count } from '../columns.ts';
import { accountOption, itemIdList, pastTime, rateOption } from '../options.ts';
import { operatorSession } from '../table/operatorSession.ts';

/** What was removed is put back by a restore. */
const undoneKinds = changeKinds.filter((kind) => kind !== 'removed');

const undoCommand = (items: CommandUnknownOpts) =>
  items
    .command('undo')
    .description(
      "Puts back what users changed by mistake, without losing others' work. Can be interrupted, and repeated to continue.",
    )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(valueOption('--import <file>', 'the last import of this file, instead of users and times', z.string()))
    .addOption(new Option('--user <user...>', 'whose changes; may be repeated'))
    .addOption(valueOption('--from <time>', 'changes written at this time or later', pastTime))
    .addOption(valueOption('--to <time>', 'and before this time; until now if omitted', pastTime))
    .addOption(new Option('--kind <kind...>', 'only such changes').choices(undoneKinds))
    .addOption(valueOption('--item <ids>', 'only of these items: ids, separated by commas', itemIdList))
    .option('--field <field...>', 'only these fields, such as value or metadata.color; may be repeated')
    .addOption(
      valueOption('--file <file>', 'where to save what is overwritten; FILE.progress says how to continue', z.string()),
    )
    .option('--dry-run', 'write no items, and list all that would be done')
    .addOption(rateOption());

type UndoOptions = ReturnType<ReturnType<typeof undoCommand>['opts']>;

/** The options that say which changes are undone. */
type Given = Omit<UndoOptions, 'rate' | 'file' | 'dryRun' | 'import'>;

export function addUndoCommand(items: CommandUnknownOpts, on: OnTable): void {
  undoCommand(items).action(({ file: named, dryRun: isDryRun = false, import: imported, rate: _, ...given }, command) =>
    on(command, async (of) => {
      const { database } = of;
      const asked = imported === undefined ? askedOf(database.table, given) : await importOf(imported, of, given);
      const { account } = asked;
      // Of each import of the file another one.
      const path = named ?? (imported === undefined || isDryRun ? undefined : `${imported}.${asked.from}.undo`);
      if ((path === undefined) !== isDryRun) throw usageError("Give either '--file' or '--dry-run'");
      await showAccount(operatorSession(database, account), account);
      const file = path === undefined ? undefined : openUndoFile(path, asked);
      let progress: UndoProgress | undefined;
      const progressText = () => `${count(progress?.updates ?? 0)} updates, ${count(progress?.left ?? 0)} left`;
      const api = operatorApi(of, account);
      const undoing = undo(api.client, file?.target ?? undoTargetOf(asked), {
        ...api.polling,
        storage: storageOf(path, imported),
      });
      await api.untilEnd(async () => {
        for await (progress of undoing) {
          if (isDryRun) break;
          file?.overwrite(progress.report);
        }
      }, progressText);
      return undoOutput(progress, path);
    }),
  );
}

/**
 * Undos of the imports of one file know of each other by the progress of the imports. A dry run keeps nothing.
 * @param path the file of the undo; undefined for a dry run
 */
function storageOf(path: string | undefined, imported: string | undefined): CallerStorage {
  const isOwn = imported === undefined || existsSync(`${path}.progress`);
  const { getItem, ...others } =
    isOwn && path === undefined ? nowhere : fileStorage(`${isOwn ? path : imported}.progress`);
  return path === undefined ? { ...nowhere, getItem } : { getItem, ...others };
}

const nowhere: CallerStorage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

/** What the last import of a file has written. @throws CommandError if that is not known, or more is given */
async function importOf(file: string, of: GivenTable, { account, ...others }: Given): Promise<Asked> {
  if (Object.values(others).some((value) => value !== undefined))
    throw usageError("Option '--import' stands for the others that say what is undone");
  const { table } = of.database;
  const storage = fileStorage(`${file}.progress`);
  await nameTable(of, storage, `${file}.progress`);
  const [last] = lastImports({ service: table }, { account, user: operatorUser }, { storage });
  if (last === undefined)
    throw new CommandError(`Nothing is known of an import of ${file} into this account in the last week.`);
  return { ...last, table, account, from: +last.from, to: +last.to };
}

/** @throws CommandError if too little is given, the times are wrong, or there is no such field */
function askedOf(table: string, { user: users, from, to, kind, item, field, account }: Given): Asked {
  if (users === undefined || from === undefined) throw usageError("Give '--import', or '--user' and '--from'");
  if (to !== undefined && to <= from) throw usageError("Option '--to' must be later than '--from'");
  if (field?.every(isField) === false) throw usageError("Option '--field' must be a field, or metadata. and a key");
  return { table, account, users, from, to, kinds: kind, items: item, fields: field };
}

/** How many fields that are left alone are shown, unless it is a dry run. */
const maxShown = 20;

/** @param path the file of the undo; undefined for a dry run */
function undoOutput(progress: UndoProgress | undefined, path: string | undefined): Output {
  const isDryRun = path === undefined;
  const { report = [], rejected = new Map<number, string>(), updates = 0, newestWrite } = progress ?? {};
  const counts = Object.entries(Object.groupBy(report, ({ result }) => result));
  const left = report.filter((entry) => !isUndone(entry));
  if (left.length > 0 || rejected.size > 0) process.exitCode = 1;
  const ids = [...new Set(report.filter((entry) => entry.isCreated && isUndone(entry)).map(({ item }) => item))];
  const created = isDryRun || ids.length === 0 ? undefined : `${path}.created`;
  if (created !== undefined) writeFileSync(created, ids.join(','));
  const shown = isDryRun ? report : left.slice(0, maxShown);
  const heads = ['item', 'field', 'before', 'by mistake', 'now', isDryRun ? 'would be' : 'skipped because', ''];
  const lines = [
    ...(shown.length === 0 ? [] : [columns([heads, ...shown.map(cellsOf)]), '']),
    ...[...rejected].map(([item, reason]) => `Item ${item} could not be updated: ${reason}.`),
    ...(isDryRun ? [] : [`Updates: ${count(updates)}.`]),
    `Fields: ${counts.map(countText).join(', ') || 'none was changed'}.`,
    ...(created === undefined ? [] : [`The items that they created are in ${created}, for item delete.`]),
    `Latest recorded write: ${newestWrite ?? 'none'}.`,
  ];
  const refused = [...rejected].map(([item, reason]) => ({ item, reason }));
  const data = { isDryRun, created: created ?? null, updates, newestWrite, report, rejected: refused };
  return { text: lines.join('\n'), data };
}

const isUndone = ({ result }: FieldReport): boolean => result === 'put back' || result === 'right already';

/** After an undo, what it has put back is right already. */
const countText = ([result, entries = []]: [string, FieldReport[]?]): string =>
  `${count(entries.length)} ${result === 'right already' ? 'as before the mistake' : result}`;

const cellsOf = ({ item, field, before, given, now, result, by, at, holder }: FieldReport): readonly unknown[] => {
  const shown = (value: unknown) => (value === undefined ? 'not kept' : JSON.stringify(value));
  const other = holder === undefined ? by && `by ${by} at ${at}` : `by item ${holder}`;
  return [item, field, shown(before), shown(given), shown(now), result, other ?? ''];
};

/** What was asked for, by which a file is recognized when the undo continues. */
interface Asked extends Omit<UndoTarget, 'from' | 'to'> {
  readonly table: string;
  readonly account: string;
  /** Times, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number | undefined;
}

/** The changes to undo, which end when the undo began unless `to` was asked for. */
const undoTargetOf = ({ table: _, account: __, from, to = Date.now(), ...rest }: Asked): UndoTarget => ({
  ...rest,
  from: new Date(from),
  to: new Date(to),
});

/**
 * Opens the file of an undo, or begins it: JSON Lines that say which changes are undone, and then the values that updates
 * overwrite.
 * @throws CommandError if the file is about something else
 */
function openUndoFile(path: string, asked: Asked) {
  const undo = JSON.stringify(asked);
  const isNew = !existsSync(path);
  const [first = '', ...others] = isNew ? [] : readFileSync(path, 'utf8').split('\n');
  const begun = headIn(first);
  if (begun === undefined ? others.length > 0 : begun.undo !== undo)
    throw new CommandError(`The file ${path} is not about this undo. Give the name of a new file to begin it.`);
  const target = undoTargetOf({ ...asked, to: begun?.to ?? asked.to });
  // An incomplete last line ends here. Its value was not overwritten.
  if (begun !== undefined) appendFileSync(path, '\n');
  // Another run may have begun it meanwhile.
  else writeFileSync(path, `${JSON.stringify({ undo, to: +target.to })}\n`, { flag: isNew ? 'wx' : 'w' });
  const saved = new Set<string>();
  return {
    target,
    /** Saves the values that are about to be overwritten. */
    overwrite(report: readonly FieldReport[]): void {
      const back = report.filter(isBack).map(({ item, field, now, before }) => ({ item, field, now, before }));
      const added = back.map((entry) => `${JSON.stringify(entry)}\n`).filter((line) => !saved.has(line));
      for (const line of added) saved.add(line);
      appendFileSync(path, added.join(''));
    },
  };
}

const head = z.object({ undo: z.string(), to: z.int() });

function headIn(line: string): z.output<typeof head> | undefined {
  try {
    return head.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
