import type { Client } from 'catalog-client';
import type { Change } from 'catalog-client/followChanges';
import { useItemChanges } from 'catalog-client/react';
import type { Mistake } from 'catalog-client/undo';
import { Button, localTime, quoted } from './elements.tsx';

interface Props {
  readonly client: Client;
  readonly id: number;
  readonly version: number;
  /** Missing if the user may not undo. */
  readonly undo: ((mistake: Mistake) => void) | undefined;
}

export const History = ({ client, id, version, undo }: Props) => (
  <>
    <h2 id="history-title">Who changed what</h2>
    <ol id="history" aria-labelledby="history-title">
      {useItemChanges(client, id, version).map((change) => (
        <li key={change.number}>
          {change.updated_by} <small>{localTime(change.updated_at)}</small>
          <p>{change.kind === 'updated' ? change.fields.map(told).join(', ') : change.kind}</p>
          {undo && <Button text="Undo what this user did" onClick={() => undo(mistakeSince(change))} />}
        </li>
      ))}
    </ol>
  </>
);

/** From this change on until now, what its user did may be a mistake. */
function mistakeSince({ updated_by, updated_at }: Change): Mistake {
  const from = new Date(updated_at);
  return { users: [updated_by], from, to: new Date(Math.max(Date.now(), +from + 1_000)) };
}

const told = ({ field, path = '', from, to }: Change['fields'][number]) =>
  `${field}${path}: ${quoted(from)} → ${quoted(to)}`;
