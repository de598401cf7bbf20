import type { Client } from 'catalog-client';
import type { Change } from 'catalog-client/followChanges';
import { useItemChanges } from 'catalog-client/react';
import { localTime, quoted } from './shownText.ts';

interface Props {
  readonly client: Client;
  readonly id: number;
  readonly version: number;
  /** Missing if the user may not undo. */
  readonly undo: ((change: Change) => void) | undefined;
}

export function History({ client, id, version, undo }: Props) {
  const changes = useItemChanges(client, id, version);
  return (
    <>
      <h2 className="next" id="history-title">
        Who changed what
      </h2>
      <ol id="history" aria-labelledby="history-title">
        {changes.map((change) => (
          <li key={change.number}>
            <div>
              {change.updated_by} <small>{localTime(change.updated_at)}</small>
            </div>
            <small>{change.kind === 'updated' ? change.fields.map(told).join(', ') : change.kind}</small>
            {undo && (
              <button type="button" onClick={() => undo({ ...change })}>
                Undo what this user did
              </button>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

const told = ({ field, path = '', from, to }: Change['fields'][number]) =>
  `${field}${path}: ${quoted(from)} → ${quoted(to)}`;
