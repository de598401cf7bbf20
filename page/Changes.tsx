// The changes of an item, or of all: by whom, and from what to what.
import type { Change } from 'catalog-client/followChanges';
import { useItemChanges } from 'catalog-client/react';
import { loadItems } from 'catalog-client/readItems';
import type { UndoTarget } from 'catalog-client/undo';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, More, Table, type TableRow } from './elements.tsx';
import { usePage } from './language.ts';
import { addressOf } from './route.ts';

const minute = 60_000; // in milliseconds

/** So many entries are shown, and changes of each. */
const maxEntries = 30;
const maxChanges = 5;

/** Leads to the undo of these changes. */
export type Undo = (target: UndoTarget) => void;

interface Props {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Whether they are of several items. Then those that a user has made within a minute are one entry. */
  readonly isOfAll?: boolean;
  readonly undo: Undo;
}

export function Changes({ changes, isOfAll = false, undo }: Props) {
  const { say, ago, time, may } = usePage();
  const entries: Change[][] = [];
  for (const change of changes) {
    const entry = entries.at(-1);
    const last = entry?.at(-1);
    const isNear =
      last?.updated_by === change.updated_by && +new Date(last.updated_at) - +new Date(change.updated_at) < minute;
    if (isOfAll && isNear) entry?.push(change);
    else entries.push([change]);
  }
  const shown = entries.slice(0, maxEntries);
  const names = useNames(isOfAll ? shown.flatMap((entry) => entry.slice(0, maxChanges).map(({ item }) => item)) : []);
  return (
    <ol className="changes">
      {shown.map((entry) => {
        const first = entry.at(-1) as Change;
        const user = first.updated_by;
        return (
          <li key={first.number}>
            <div className="row">
              <b>{user}</b>
              <small className="rest" title={time(first.updated_at)}>
                {ago(first.updated_at)}
              </small>
              {may('catalog:edit') && (
                <Button className="quiet" text={say('undo_user', { user })} onClick={() => undo(targetSince(first))} />
              )}
            </div>
            {entry.slice(0, maxChanges).map((change) => (
              <div key={change.number}>
                {isOfAll && <ItemLink id={change.item} names={names} />}{' '}
                {change.kind === 'updated' ? <FieldChanges changes={change.fields} /> : say(change.kind)}
              </div>
            ))}
            <More count={entry.length - maxChanges} />
          </li>
        );
      })}
    </ol>
  );
}

/** Who has changed an item. */
export function ItemHistory({ id, version, undo }: { id: number; version: number; undo: Undo }) {
  const { say, client } = usePage();
  const { changes } = useItemChanges(client, id, { version });
  return (
    <section id="history" aria-labelledby="history-title">
      <h3 id="history-title">{say('history')}</h3>
      <Changes changes={changes} undo={undo} />
    </section>
  );
}

interface FieldChange extends Omit<Change['fields'][number], 'field'> {
  /** A field, or a custom one, such as `metadata.color`. */
  readonly field: string;
}

/** A changed field as texts: what it is called, and from what to what it was changed. */
function useFieldTexts() {
  const { label, value } = usePage();
  const shown = (field: string, each: unknown) => (each === undefined ? '…' : value(field, each));
  return ({ field, path = '', from, to }: FieldChange) =>
    [label(path === '' ? field : `metadata${path}`), shown(field, from), shown(field, to)] as const;
}

function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  const textsOf = useFieldTexts();
  const rows = changes.map((change) => {
    const [name, from, to] = textsOf(change);
    return <li key={change.field + change.path}>{`${name}: ${from} → ${to}`}</li>;
  });
  return <ul>{rows}</ul>;
}

export interface ItemChange {
  /** The item, in the first row of each. */
  readonly item: ReactNode;
  /** Undefined for an item of which nothing is changed. */
  readonly change: FieldChange | undefined;
  /** The result of the change, or the expected one. */
  readonly result?: string;
}

/** The changes of an import or an undo, each field in a row. */
export function ChangeTable({ changes }: { readonly changes: readonly ItemChange[] }) {
  const { texts } = usePage();
  const textsOf = useFieldTexts();
  const rows = changes.map(({ item, change, result }, index): TableRow => {
    const cells = change === undefined ? [] : textsOf(change);
    return [index, item, ...cells, result];
  });
  const head = Object.entries(texts.report).filter(([name]) => name !== 'result' || changes[0]?.result !== undefined);
  return <Table head={head} rows={rows} />;
}

/** The changes by the user of a change, from it on until now. */
function targetSince({ updated_by, updated_at }: Change): UndoTarget {
  const from = new Date(updated_at);
  return { users: [updated_by], from, to: new Date(Math.max(Date.now(), +from + 1_000)) };
}

/** The names of items by their ids. */
export function useNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const { client } = usePage();
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map());
  const wanted = [...new Set(ids)].join();
  useEffect(() => {
    if (wanted === '') return;
    loadItems(client, wanted.split(',').map(Number))
      .then((items) => setNames(new Map(items.map(({ id, name }) => [id, name]))))
      .catch(() => undefined); // the ids are shown instead
  }, [client, wanted]);
  return names;
}

export const ItemLink = ({ id, names }: { id: number; names: ReadonlyMap<number, string> }) => (
  <a href={addressOf(id)}>{names.get(id) ?? id}</a>
);
