import type { JsonObject } from '../../lib/item/json.ts';
import type { ItemState } from '../support/itemModel.ts';
import { created, differences, hasTooMuch, stateOf, updated } from '../support/itemModel.ts';
import type { History, Operation } from './history.ts';
import { accountOf, isCreate, isOpen, precedes } from './operations.ts';

/** One item's life as it was reconstructed: the operation behind each revision, and the state after it. */
export interface Life {
  readonly account: string;
  readonly id: number;
  readonly steps: readonly { readonly operation: Operation; readonly state: ItemState }[];
}

/**
 * Finds an order of writes, in keeping with real time, that leads from an item's creation over every answered revision
 * to what is stored. A revision that nobody was told of must be one of the open operations' work, each of which happened
 * at most once.
 * @returns where the order that came furthest ends, in words, when none is found
 */
export function explain(
  { operations, planted }: Pick<History, 'operations' | 'planted'>,
  record: JsonObject,
): Life | string {
  const id = Number(record['id']);
  const account = accountOf(record);
  const creates = operations.filter((operation) => isCreate(operation) && operation.body['name'] === record['name']);
  const create =
    creates.find(({ answer }) => answer?.status === 201 && !answer.replayed) ?? creates.find(isOpen) ?? creates[0];
  if (create === undefined) return 'nobody created it';
  const updates = operations.filter((operation) => operation.id === id && operation.account === account);
  const told = new Map<number, Operation>();
  for (const operation of updates.filter(({ answer }) => answer?.status === 200)) {
    const { revision = 0 } = operation.answer ?? {};
    if (told.has(revision)) return `two updates were answered revision ${revision}`;
    told.set(revision, operation);
  }
  const last = Number(record['revision']);
  const never = [...told.keys()].find((revision) => !(revision > 1 && revision <= last));
  if (never !== undefined) return `an update was answered revision ${never} of ${last}`;

  let furthest = { revision: 0, why: '' };
  const endsAt = (revision: number, why: string): undefined => {
    if (revision > furthest.revision) furthest = { revision, why };
  };
  const follow = (steps: Life['steps'], unused: readonly Operation[]): Life['steps'] | undefined => {
    const { state } = steps.at(-1) as Life['steps'][number];
    const revision = steps.length + 1;
    if (steps.length === last) {
      const others = differences(state, stateOf(record));
      return others === '' ? steps : endsAt(revision, `what is stored has another ${others}`);
    }
    const known = told.get(revision);
    for (const operation of known === undefined ? unused : [known]) {
      const next = updated(state, operation.body);
      const obstacle = obstacleTo(operation, next, steps);
      if (obstacle !== undefined) {
        if (operation === known) endsAt(revision, `the update answered revision ${revision} ${obstacle}`);
        continue;
      }
      const rest = unused.filter((other) => other !== operation);
      const found = follow([...steps, { operation, state: next }], rest);
      if (found !== undefined) return found;
    }
    return endsAt(revision, `nobody can have written revision ${revision}`);
  };
  const damage = planted.find((item) => item.account === account && item.id === id)?.fields;
  const first = { operation: create, state: { ...created(create.body), ...damage } };
  const steps = follow([first], updates.filter(isOpen));
  return steps ? { account, id, steps } : furthest.why;
}

/** Why an update cannot have made the state that comes after some steps; undefined: it can. */
function obstacleTo(operation: Operation, next: ItemState, steps: Life['steps']): string | undefined {
  const { ifMatch, answer } = operation;
  if (ifMatch !== undefined && ifMatch !== steps.length) return `was to be made at revision ${ifMatch} only`;
  if (steps.some((earlier) => precedes(operation, earlier.operation))) return 'had ended before an earlier one began';
  if (hasTooMuch(next)) return 'left too many custom fields';
  const others = answer?.status === 200 ? differences(next, stateOf(answer.data)) : '';
  return others === '' ? undefined : `was answered with another ${others}`;
}

/** The states that an item may have been in at some moment of an operation, each with its revision. */
export const statesDuring = ({ steps }: Life, operation: Operation): { revision: number; state: ItemState }[] =>
  steps.flatMap((step, index) => {
    const hasBegun = step.operation.began < operation.ended;
    const isOver = steps.slice(index + 1).some((later) => precedes(later.operation, operation));
    return hasBegun && !isOver ? [{ revision: index + 1, state: step.state }] : [];
  });
