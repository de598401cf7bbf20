// What has happened lately: the imports of the user, and what all users have changed.
import { type Change, followChanges } from 'catalog-client/followChanges';
import { lastImports } from 'catalog-client/importRows';
import type { UndoTarget } from 'catalog-client/undo';
import { useEffect, useState } from 'react';
import { Changes } from './Changes.tsx';
import { Button } from './elements.tsx';
import { usePage } from './language.ts';

const day = 86_400_000; // in milliseconds

/** So many changes are kept. */
const maxKept = 2_000;

interface Props {
  readonly undo: (target: UndoTarget) => void;
}

export function History({ undo }: Props) {
  const { say, time, client, catalog } = usePage();
  const imports = lastImports(client, catalog, { storage: localStorage });
  const changes = useLastDay();
  return (
    <>
      <article aria-labelledby="imports-title">
        <h2 id="imports-title">{say('last_imports')}</h2>
        {imports.length === 0 && <p>{say('no_imports')}</p>}
        {imports.map((each) => (
          <div key={`${+each.from} ${+each.to}`} className="row">
            <b>{each.file}</b>
            <span className="rest">{say('import_of', { count: each.items?.length ?? 0, time: time(each.from) })}</span>
            <Button className="quiet" text={say('undo_import')} onClick={() => undo(each)} />
          </div>
        ))}
      </article>
      <article aria-labelledby="day-title">
        <h2 id="day-title">{say('last_day')}</h2>
        {changes.length === 0 && <p>{say('no_changes')}</p>}
        <Changes isOfAll changes={changes} undo={undo} />
      </article>
    </>
  );
}

/** What was changed since yesterday, newest first, and from now on. */
function useLastDay(): readonly Change[] {
  const { client } = usePage();
  const [changes, setChanges] = useState<readonly Change[]>([]);
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    async function follow(): Promise<void> {
      setChanges([]);
      for await (const page of followChanges(client, new Date(Date.now() - day), { signal }))
        if (!signal.aborted) setChanges((known) => [...[...page.changes].reverse(), ...known].slice(0, maxKept));
    }
    follow().catch(() => undefined); // whoever may not read them sees none
    return () => left.abort();
  }, [client]);
  return changes;
}
