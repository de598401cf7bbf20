import type { Client } from 'catalog-client';
import type { Change } from 'catalog-client/followChanges';
import { useItemChanges } from 'catalog-client/react';
import type { Mistake } from 'catalog-client/undo';
import { Button } from './elements.tsx';
import { useLanguage } from './language.ts';

interface Props {
  readonly client: Client;
  readonly id: number;
  readonly version: number;
  /** Missing if the user may not undo. */
  readonly undo: ((mistake: Mistake) => void) | undefined;
}

export function ItemHistory({ client, id, version, undo }: Props) {
  const { say, time } = useLanguage();
  return (
    <>
      <h3 id="history-title">{say('who_changed')}</h3>
      <ol id="history" aria-labelledby="history-title">
        {useItemChanges(client, id, version).map((change) => (
          <li key={change.number}>
            <b>{change.updated_by}</b> <small>{time(change.updated_at)}</small>
            {change.kind === 'updated' ? (
              <ul>
                {change.fields.map((field) => (
                  <li key={field.field + field.path}>
                    <FieldChange change={field} />
                  </li>
                ))}
              </ul>
            ) : (
              <p>{say(change.kind === 'removed' ? 'removed' : 'created')}</p>
            )}
            {undo && (
              <Button
                className="quiet"
                text={say('undo_user', { user: change.updated_by })}
                onClick={() => undo(mistakeSince(change))}
              />
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** From what to what a field was changed. */
export function FieldChange({ change }: { change: Change['fields'][number] }) {
  const { label, value } = useLanguage();
  const { field, path = '', from, to } = change;
  const name = path === '' ? field : `metadata${path}`;
  return (
    <>
      {label(name)}: {from === undefined ? '…' : value(field, from)} → {to === undefined ? '…' : value(field, to)}
    </>
  );
}

/** From this change on until now, what its user did may be a mistake. */
function mistakeSince({ updated_by, updated_at }: Change): Mistake {
  const from = new Date(updated_at);
  return { users: [updated_by], from, to: new Date(Math.max(Date.now(), +from + 1_000)) };
}
