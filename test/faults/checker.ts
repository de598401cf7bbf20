import type { JsonObject } from '../../lib/item/json.ts';
import type { History, Operation } from './history.ts';
import type { State } from './model.ts';
import { created, stateOf, textOf, updated } from './model.ts';

/** One item's life as the checker has reconstructed it: the operation behind each revision, and the state after it. */
interface Life {
  readonly account: string;
  readonly id: number;
  readonly steps: readonly { readonly operation: Operation; readonly state: State }[];
}

/** An operation of which its client was not told what became: it may have happened once, or not. */
const isOpen = ({ answer }: Operation): boolean => answer === undefined || answer.status === 503;

const isCreate = ({ id }: Operation): boolean => id === undefined;

/**
 * Looks for anything in a history that the service's promises forbid.
 * @returns the violations in words; none for a history that some order of atomic writes explains
 */
export function check(history: History): string[] {
  const violations = [...checkAnswers(history), ...checkGuards(history), ...checkIds(history), ...checkKeys(history)];
  const lives: Life[] = [];
  for (const record of itemsOf(history)) {
    const life = explain(history, record);
    if (life === undefined) violations.push(`no order of writes explains item ${record['id']} (${record['name']})`);
    else lives.push(life);
  }
  // Without every item's life there is nothing to judge refusals by.
  if (violations.length > 0) return violations;
  return [...checkConflicts(history, lives), ...checkPreconditions(history, lives), ...checkMissing(history, lives)];
}

const itemsOf = ({ records }: History): JsonObject[] => records.filter(({ pk }) => String(pk).endsWith('#ITEMS'));
const accountOf = (record: JsonObject): string => String(record['pk']).split('#')[1] ?? '';

/** Only documented answers, and none that speaks of another account's item. */
function checkAnswers({ operations }: History): string[] {
  const expected = new Set([200, 201, 409, 412, 503]);
  return operations.flatMap(({ answer, body }) =>
    answer === undefined || expected.has(answer.status)
      ? []
      : [`a request was answered ${answer.status} ${answer.code}: ${JSON.stringify(body)}`],
  );
}

/** Codes and guards are a bijection, and no code is there twice. */
function checkGuards(history: History): string[] {
  const due = itemsOf(history).flatMap((record) =>
    (['sku', 'pn'] as const).flatMap((name) =>
      record[name] === undefined ? [] : [`${accountOf(record)} ${name.toUpperCase()} ${record[name]} ${record['id']}`],
    ),
  );
  const there = history.records
    .filter(({ sk }) => sk === 'GUARD')
    .map((record) => {
      const [, account, name, code] = String(record['pk']).split('#');
      return `${account} ${name} ${code} ${record['item_id']}`;
    });
  const codes = due.map((text) => text.split(' ').slice(0, 3).join(' '));
  return [
    ...due.filter((text) => !there.includes(text)).map((text) => `a code has no guard: ${text}`),
    ...there.filter((text) => !due.includes(text)).map((text) => `a guard has no code: ${text}`),
    ...codes.filter((code, index) => codes.indexOf(code) !== index).map((code) => `a code is there twice: ${code}`),
  ];
}

/** Ids are unique, and none is above the counter. */
function checkIds(history: History): string[] {
  return history.accounts.flatMap((account) => {
    const ids = itemsOf(history)
      .filter((record) => accountOf(record) === account)
      .map((record) => Number(record['id']));
    const counter = history.records.find(({ pk }) => pk === `ACCOUNT#${account}#COUNTER`);
    const last = Number(counter?.['last'] ?? 0);
    return [
      ...(new Set(ids).size === ids.length ? [] : [`an id is there twice in ${account}`]),
      ...ids.filter((id) => id > last).map((id) => `id ${id} is above the counter`),
    ];
  });
}

/** One create makes at most one item, as many times as it is repeated under its key; a refused one makes none. */
function checkKeys(history: History): string[] {
  const creates = Map.groupBy(history.operations.filter(isCreate), ({ body }) => body['name']);
  return [...creates].flatMap(([name, attempts]) => {
    const items = itemsOf(history).filter(({ metadata, ...record }) => record['name'] === name);
    const fulfilled = attempts.filter(({ answer }) => answer?.status === 201);
    const first = fulfilled.find(({ answer }) => answer?.replayed === false)?.answer ?? fulfilled[0]?.answer;
    const expected = created(attempts[0]?.body ?? {});
    return [
      ...(items.length > 1 ? [`${items.length} items came of one create: ${name}`] : []),
      ...(items.length > 0 && fulfilled.length === 0 && !attempts.some(isOpen)
        ? [`a refused create left ${name}`]
        : []),
      ...(items.length === 0 && fulfilled.length > 0 ? [`a created item is not there: ${name}`] : []),
      ...fulfilled.flatMap(({ answer }) =>
        answer?.data['id'] === first?.data['id'] &&
        answer?.revision === 1 &&
        textOf(stateOf(answer.data)) === textOf(expected)
          ? []
          : [`a create was answered with another item or state: ${name}`],
      ),
      ...items.flatMap((record) =>
        accountOf(record) === attempts[0]?.account ? [] : [`an item crossed accounts: ${name}`],
      ),
    ];
  });
}

/**
 * Finds an order of writes, in keeping with real time, that leads from an item's creation over every answered revision to what is stored. A revision
 * that nobody was told of must be one of the open operations' work, each of which happened at most once.
 */
function explain({ operations }: History, record: JsonObject): Life | undefined {
  const id = Number(record['id']);
  const account = accountOf(record);
  const creates = operations.filter((operation) => isCreate(operation) && operation.body['name'] === record['name']);
  const create =
    creates.find(({ answer }) => answer?.status === 201 && !answer.replayed) ?? creates.find(isOpen) ?? creates[0];
  const updates = operations.filter((operation) => operation.id === id && operation.account === account);
  const told = new Map(
    updates.flatMap((operation) =>
      operation.answer?.status === 200 ? [[operation.answer.revision, operation] as const] : [],
    ),
  );
  const answered = updates.filter(({ answer }) => answer?.status === 200).length;
  if (create === undefined || told.size !== answered) return undefined;
  const open = updates.filter(isOpen);
  const last = Number(record['revision']);
  const planted = create.body['name'] === 'restored' ? { sku: 'torn' } : {};

  const follow = (steps: Life['steps'], unused: readonly Operation[]): Life['steps'] | undefined => {
    const { state } = steps.at(-1) as Life['steps'][number];
    const revision = steps.length + 1;
    if (steps.length === last)
      return unexplained(told, last) || textOf(state) !== textOf(stateOf(record)) ? undefined : steps;
    const known = told.get(revision);
    const candidates = known === undefined ? unused : [known];
    for (const operation of candidates) {
      if (operation.ifMatch !== undefined && operation.ifMatch !== revision - 1) continue;
      if (steps.some((earlier) => precedes(operation, earlier.operation))) continue;
      const next = updated(state, operation.body);
      if (known !== undefined && textOf(stateOf(operation.answer?.data ?? {})) !== textOf(next)) continue;
      const rest = unused.filter((other) => other !== operation);
      const found = follow([...steps, { operation, state: next }], rest);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const steps = follow([{ operation: create, state: { ...created(create.body), ...planted } }], open);
  return steps && { account, id, steps };
}

/** Whether an answer speaks of a revision that the item has never had. */
const unexplained = (told: ReadonlyMap<number, Operation>, last: number): boolean =>
  [...told.keys()].some((revision) => revision < 2 || revision > last);

/** Whether an operation had ended before another began, and so must come before it. */
const precedes = (one: Operation, other: Operation): boolean => !isOpen(one) && one.ended < other.began;

/** Every 409 had another item that may have held one of the codes meanwhile. */
function checkConflicts({ operations }: History, lives: readonly Life[]): string[] {
  const heldBy = (life: Life, name: 'sku' | 'pn', code: unknown, { began, ended }: Operation): boolean =>
    life.steps.some(({ operation, state }, index) => {
      const until = life.steps.slice(index + 1).find((later) => later.state[name] !== code)?.operation;
      const isOver = until !== undefined && !isOpen(until) && until.ended < began;
      return state[name] === code && operation.began < ended && !isOver;
    });
  return operations
    .filter(({ answer }) => answer?.status === 409)
    .filter((operation) => {
      const { account, id, body } = operation;
      const others = lives.filter(
        (life) => life.account === account && life.id !== id && life.steps[0]?.operation.body['name'] !== body['name'],
      );
      return !(['sku', 'pn'] as const).some(
        (name) => typeof body[name] === 'string' && others.some((life) => heldBy(life, name, body[name], operation)),
      );
    })
    .map(({ body }) => `a 409 had no other holder: ${JSON.stringify(body)}`);
}

/** Every 412 had another revision meanwhile. */
function checkPreconditions({ operations }: History, lives: readonly Life[]): string[] {
  return operations
    .filter(({ answer }) => answer?.status === 412)
    .filter(({ account, id, ifMatch = 0, began, ended }) => {
      const steps = lives.find((life) => life.account === account && life.id === id)?.steps ?? [];
      const at = steps[ifMatch - 1]?.operation;
      const next = steps[ifMatch]?.operation;
      const began_ = at !== undefined && !isOpen(at) && at.ended < began;
      return ifMatch > 0 && began_ && (next === undefined || next.began > ended);
    })
    .map(({ id, ifMatch }) => `item ${id} was at revision ${ifMatch} when a 412 said that it was not`);
}

/** Every item that an answer speaks of is there, and in the account that asked. */
function checkMissing({ operations }: History, lives: readonly Life[]): string[] {
  return operations.flatMap(({ account, answer }) => {
    const id = answer?.data['id'];
    const isThere = id === undefined || lives.some((life) => life.account === account && life.id === id);
    return isThere ? [] : [`an answer speaks of item ${id}, which account ${account} does not have`];
  });
}
