import type { Client } from 'catalog-client';
import type { Change } from 'catalog-client/followChanges';
import { useItemChanges } from 'catalog-client/react';
import { Button, localTime, quoted } from './elements.tsx';

interface Props {
  readonly client: Client;
  readonly id: number;
  readonly version: number;
  /** Missing if the user may not undo. */
  readonly undo: ((change: Change) => void) | undefined;
}

export const History = ({ client, id, version, undo }: Props) => (
  <>
    <h2 id="history-title">Who changed what</h2>
    <ol id="history" aria-labelledby="history-title">
      {useItemChanges(client, id, version).map((change) => (
        <li key={change.number}>
          {change.updated_by} <small>{localTime(change.updated_at)}</small>
          <p>{change.kind === 'updated' ? change.fields.map(told).join(', ') : change.kind}</p>
          {undo && <Button text="Undo what this user did" onClick={() => undo({ ...change })} />}
        </li>
      ))}
    </ol>
  </>
);

const told = ({ field, path = '', from, to }: Change['fields'][number]) =>
  `${field}${path}: ${quoted(from)} → ${quoted(to)}`;
