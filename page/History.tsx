// The latest imports of the user, and the latest changes of all users.
import { type Notice, noticeOf } from 'catalog-client';
import { type RecentChanges, recentChanges } from 'catalog-client/followChanges';
import { lastImports } from 'catalog-client/importRows';
import { useEffect, useState } from 'react';
import { Changes, type Undo } from './Changes.tsx';
import { Button } from './elements.tsx';
import { usePage } from './language.ts';
import { local } from './storage.ts';

export function History({ undo }: { readonly undo: Undo }) {
  const { say, time, notice, client, catalog } = usePage();
  const imports = lastImports(client, catalog, { storage: local });
  const [recent, setRecent] = useState<RecentChanges>();
  const [failure, setFailure] = useState<Notice>();
  useEffect(() => {
    const left = new AbortController();
    const onFailure = (error: unknown) => setFailure(noticeOf(error));
    async function follow(): Promise<void> {
      for await (const found of recentChanges(client, { signal: left.signal, onFailure })) setRecent(found);
    }
    follow().catch(onFailure);
    return () => left.abort();
  }, [client]);
  const changesText = () => {
    if (recent === undefined) return failure === undefined ? say('loading') : notice(failure);
    const since = { time: time(recent.since) };
    if (!recent.isComplete) return say('part_of_changes', since);
    return say(recent.changes.length === 0 ? 'no_changes' : 'changes_since', since);
  };
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
      <article aria-labelledby="changes-title">
        <h2 id="changes-title">{say('last_changes')}</h2>
        <p role="status">{changesText()}</p>
        {recent && <Changes isOfAll changes={recent.changes} undo={undo} />}
      </article>
    </>
  );
}
