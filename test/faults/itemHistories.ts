import type { JsonObject } from '../../lib/item/json.ts';
import { created, differences, hasTooMuch, type ItemState, stateOf, updated } from '../support/items/itemModel.ts';
import type { History, Operation } from './history.ts';
import { accountOf, allows, isCreate, isOpen, mayShowLater, precedes } from './operations.ts';

/** The reconstructed history of one item: the operation behind each revision, and the state after it. */
export interface ItemHistory {
  readonly account: string;
  readonly id: number;
  readonly steps: readonly { readonly operation: Operation; readonly state: ItemState }[];
}

/**
 * Finds an order of writes, consistent with real time, that leads from an item's creation through every answered
 * revision to the stored state. A revision without a response must be from an operation that is open or was answered a
 * later revision. Each of them happened at most once, or at most twice if one of its DynamoDB requests was executed
 * twice, and all that have the same key happened once.
 * @returns if there is none, a text that says where the longest order ends
 */
export function explain(
  history: Pick<History, 'operations' | 'planted' | 'reads'>,
  record: JsonObject,
): ItemHistory | string {
  const id = Number(record['id']);
  const account = accountOf(record);
  const updates = history.operations.filter((operation) => operation.id === id && operation.account === account);
  const reads = history.reads
    .filter((read) => read.id === id && read.account === account)
    .map(({ at, revision, state }): Sighting => ({ revision, state, from: at, to: at }))
    .concat(updates.filter(mayShowLater).flatMap(sightingOf));
  // The item in a 412 decides between several orders. If none agrees with it, the 412 is wrong.
  const found = explainSeen(history, record, updates, [...reads, ...updates.filter(isOutdated).flatMap(sightingOf)]);
  return typeof found === 'string' ? explainSeen(history, record, updates, reads) : found;
}

const isOutdated = ({ response }: Operation): boolean => response?.status === 412;

/** The state of an item at some moment between two others. */
interface Sighting {
  readonly revision: number;
  readonly state: ItemState;
  readonly from: number;
  readonly to: number;
}

const sightingOf = ({ response, began, ended }: Operation): Sighting[] =>
  response === undefined
    ? []
    : [{ revision: response.revision, state: stateOf(response.data), from: began, to: ended }];

function explainSeen(
  { operations, planted }: Pick<History, 'operations' | 'planted'>,
  record: JsonObject,
  updates: readonly Operation[],
  sightings: readonly Sighting[],
): ItemHistory | string {
  const id = Number(record['id']);
  const account = accountOf(record);
  const creates = operations.filter((operation) => isCreate(operation) && operation.body['name'] === record['name']);
  const create =
    creates.find(({ response }) => response?.status === 201 && !response.replayed) ??
    creates.find(isOpen) ??
    creates[0];
  if (create === undefined) return 'nobody created it';
  const answered = new Map<number, Operation>();
  const indirect = updates.filter(mayShowLater);
  const skipped = indirect.filter(({ response }) => response?.isUnchanged);
  for (const operation of updates.filter((one) => one.response?.status === 200 && !mayShowLater(one))) {
    const { revision = 0 } = operation.response ?? {};
    if (answered.has(revision)) return `two updates were answered revision ${revision}`;
    answered.set(revision, operation);
  }
  const last = Number(record['revision']);
  const never = [...answered.keys()].find((revision) => !(revision > 1 && revision <= last));
  if (never !== undefined) return `an update was answered revision ${never} of ${last}`;

  let furthest = { revision: 0, why: '' };
  const endsAt = (revision: number, why: string): undefined => {
    if (revision > furthest.revision) furthest = { revision, why };
  };
  const follow = (steps: ItemHistory['steps'], unused: readonly Operation[]): ItemHistory['steps'] | undefined => {
    const { state } = steps.at(-1) as ItemHistory['steps'][number];
    const revision = steps.length + 1;
    if (steps.length === last) {
      const others = differences(state, stateOf(record));
      if (others !== '') return endsAt(revision, `what is stored has another ${others}`);
      const missing = indirect.find(
        (one) => !steps.some((step) => isSameUpdate(step.operation, one) || isSkipped(one, step.state)),
      );
      return missing === undefined ? steps : endsAt(revision, 'a successful update was not done');
    }
    const known = answered.get(revision);
    for (const operation of known === undefined ? new Set(unused) : [known]) {
      const next = updated(state, operation.body);
      const obstacle = obstacleTo(operation, next, steps, sightings);
      if (obstacle !== undefined || skipped.some((one) => isSameUpdate(one, operation))) {
        const why = obstacle ?? 'was skipped before, with the same key';
        if (operation === known) endsAt(revision, `the update answered revision ${revision} ${why}`);
        continue;
      }
      const rest = operation === known ? unused : unused.toSpliced(unused.indexOf(operation), 1);
      const found = follow([...steps, { operation, state: next }], rest);
      if (found !== undefined) return found;
    }
    return endsAt(revision, `nobody can have written revision ${revision}`);
  };
  const damage = planted.find((item) => item.account === account && item.id === id)?.fields;
  const first = { operation: create, state: { ...created(create.body), ...damage } };
  const impossible = contradiction(create, first.state, 1, sightings);
  if (impossible !== undefined) return `the create ${impossible}`;
  const twice = updates.filter(({ isDeliveredTwice }) => isDeliveredTwice);
  const steps = follow([first], [...updates.filter(isOpen), ...indirect, ...twice]);
  return steps ? { account, id, steps } : furthest.why;
}

/** Why an update cannot have produced the state after some steps. Undefined if it can. */
function obstacleTo(
  operation: Operation,
  next: ItemState,
  steps: ItemHistory['steps'],
  sightings: readonly Sighting[],
): string | undefined {
  const { ifMatch, response } = operation;
  if (!allows(operation, steps.length)) return `was to be made at revision ${ifMatch} only`;
  if (steps.some((earlier) => precedes(operation, earlier.operation))) return 'had ended before an earlier one began';
  if (hasTooMuch(next)) return 'left too many custom fields';
  if (mayShowLater(operation) && steps.length + 1 > Number(response?.revision)) return 'was answered before';
  const keyed = steps.map((step) => step.operation).filter((one) => !isCreate(one) && one.key !== undefined);
  if (keyed.slice(-rememberedKeys).some((one) => isSameUpdate(one, operation)))
    return 'was done before, with the same key';
  const isResponse = response?.status === 200 && !mayShowLater(operation) && response.revision === steps.length + 1;
  const others = isResponse ? differences(next, stateOf(response.data)) : '';
  return others === ''
    ? contradiction(operation, next, steps.length + 1, sightings)
    : `was answered with another ${others}`;
}

/** How many of its last keyed updates an item remembers. */
const rememberedKeys = 4;

/** Whether two operations are one for the service: the same, or an update and its repeat. */
const isSameUpdate = (one: Operation, other: Operation): boolean =>
  one === other || (!isCreate(one) && one.key !== undefined && one.key === other.key && one.id === other.id);

/** Whether an update that skips what changes nothing changes nothing in a state. */
const isSkipped = ({ skipsUnchanged, body }: Operation, state: ItemState): boolean =>
  skipsUnchanged === true && differences(state, updated(state, body)) === '';

/** A later read that contradicts the state that an operation left at a revision. */
function contradiction(
  operation: Operation,
  state: ItemState,
  revision: number,
  sightings: readonly Sighting[],
): string | undefined {
  for (const seen of sightings) {
    const others = seen.revision === revision ? differences(state, seen.state) : '';
    if (others !== '') return `was read with another ${others}`;
    if (seen.revision < revision && !isOpen(operation) && operation.ended < seen.from)
      return 'was not there when it was read later';
    if (seen.revision >= revision && operation.began > seen.to) return 'was read before it was requested';
  }
  return undefined;
}

/** The states that an item may have had during an operation, each with its revision. */
export const statesDuring = ({ steps }: ItemHistory, operation: Operation): { revision: number; state: ItemState }[] =>
  steps.flatMap((step, index) => {
    const hasBegun = step.operation.began < operation.ended;
    const isOver = steps.slice(index + 1).some((later) => precedes(later.operation, operation));
    return hasBegun && !isOver ? [{ revision: index + 1, state: step.state }] : [];
  });
