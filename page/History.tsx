import type { Change } from 'catalog-client/followChanges';
import { useItemChanges } from 'catalog-client/react';
import type { UndoTarget } from 'catalog-client/undo';
import { Button } from './elements.tsx';
import { usePage } from './language.ts';

export function ItemHistory({
  id,
  version,
  undo,
}: {
  id: number;
  version: number;
  undo: (target: UndoTarget) => void;
}) {
  const { say, time, client, may } = usePage();
  const { changes } = useItemChanges(client, id, { version });
  return (
    <>
      <h3 id="history-title">{say('history')}</h3>
      <ol id="history" aria-labelledby="history-title">
        {changes.map((change) => (
          <li key={change.number}>
            <div className="row">
              <b>{change.updated_by}</b>
              <small className="rest">{time(change.updated_at)}</small>
              {may('catalog:edit') && (
                <Button
                  className="quiet"
                  text={say('undo_user', { user: change.updated_by })}
                  onClick={() => undo(targetSince(change))}
                />
              )}
            </div>
            {change.kind === 'updated' ? <FieldChanges changes={change.fields} /> : say(change.kind)}
          </li>
        ))}
      </ol>
    </>
  );
}

/** From what to what fields were changed. */
export function FieldChanges({ changes = [] }: { readonly changes?: readonly Change['fields'][number][] | undefined }) {
  const { label, value } = usePage();
  const shown = (field: string, each: unknown) => (each === undefined ? '…' : value(field, each));
  return (
    <ul>
      {changes.map(({ field, path = '', from, to }) => (
        <li key={field + path}>
          {label(path === '' ? field : `metadata${path}`)}: {shown(field, from)} → {shown(field, to)}
        </li>
      ))}
    </ul>
  );
}

/** What the user of a change has done from it on until now. */
function targetSince({ updated_by, updated_at }: Change): UndoTarget {
  const from = new Date(updated_at);
  return { users: [updated_by], from, to: new Date(Math.max(Date.now(), +from + 1_000)) };
}
