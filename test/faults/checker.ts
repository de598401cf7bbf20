import type { Finding } from '../../admin/verification/verifyTable.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { unsoundRecords } from '../support/damage/unsoundRecords.ts';
import { verifyRecords } from '../support/damage/verifier.ts';
import { created, differences, hasTooMuch, stateOf, updated } from '../support/items/itemModel.ts';
import type { History, Operation } from './history.ts';
import { explain, type ItemHistory, statesDuring } from './itemHistories.ts';
import { accountOf, allows, isCreate, isOpen, itemsOf, precedes } from './operations.ts';

/**
 * Finds everything in a history that the service's promises rule out.
 * @returns the violations as text; none if some order of atomic writes explains the history
 */
export async function check(history: History): Promise<string[]> {
  const findings = await verifyRecords(history.records, timeOf(history));
  const unsound = [...findings.map(violationOf), ...unsoundRecords(history.records, timeOf(history))];
  // Records that are unreadable or under a wrong key cannot be checked further.
  if (findings.some(({ kind }) => kind === 'unreadable record')) return unsound;
  const violations = [
    ...checkResponses(history),
    ...unsound,
    ...checkCreates(history),
    ...checkStoredKeys(history),
    ...checkKeys(history),
  ];
  const histories: ItemHistory[] = [];
  for (const record of itemsOf(history)) {
    const explained = explain(history, record);
    if (typeof explained === 'string')
      violations.push(`no order of writes explains item ${record['id']} (${record['name']}): ${explained}`);
    else histories.push(explained);
  }
  // Without the history of every item, errors cannot be checked.
  if (violations.length > 0) return violations;
  return [
    ...checkConflicts(history, histories),
    ...checkPreconditions(history, histories),
    ...checkShownItems(history, histories),
    ...checkTooMuch(history, histories),
    ...checkMissing(history, histories),
  ];
}

/** The time of the table's state, in milliseconds since 1970, because histories have their own clocks. */
const timeOf = ({ records }: History): number =>
  records.reduce((latest, { written_at }) => Math.max(latest, Number(written_at ?? 0)), Date.now());

/** A finding of the table's own verification. */
const violationOf = (finding: Finding): string => {
  const where = 'key' in finding ? `${finding.key.pk} ${finding.key.sk}` : finding.account;
  return `the verification finds: ${finding.kind} ${where}`;
};

/** Every documented response that requests in histories can get. */
const documented = new Set([
  'create 201',
  'create 201 replayed',
  'create 409 ITEM_ALREADY_EXISTS',
  'create 422 IDEMPOTENCY_KEY_REUSED',
  'create 503 SERVICE_UNAVAILABLE',
  'update 200',
  'update 200 replayed',
  'update 409 ITEM_ALREADY_EXISTS',
  'update 412 PRECONDITION_FAILED',
  'update 422 IDEMPOTENCY_KEY_REUSED',
  'update 422 VALIDATION_FAILED',
  'update 503 SERVICE_UNAVAILABLE',
]);

/** After a change of identifiers, the item may have to be read for the response. That can fail. */
const isReadAfterwards = ({ id, body }: Operation): boolean => id !== undefined && ('sku' in body || 'pn' in body);

/** All responses are documented, and those to updates name the updated item. */
function checkResponses({ operations }: History): string[] {
  return operations.flatMap((operation) => {
    const { id, ifMatch, key, response, body } = operation;
    if (response === undefined) return [];
    const { status, code, data, replayed } = response;
    const kind = isCreate(operation) ? 'create' : 'update';
    const text = [kind, status, code ?? (replayed && 'replayed')].filter(Boolean).join(' ');
    if (operation.isConfirmed && status !== 200 && status !== 201 && !(status === 503 && isReadAfterwards(operation)))
      return [`a done ${kind} was answered ${status}: ${JSON.stringify(body)}`];
    const isUncalledFor = (status === 412 && ifMatch === undefined) || (replayed && key === undefined);
    if (!documented.has(text) || isUncalledFor)
      return [`a response is not documented: ${text} to ${JSON.stringify(body)}`];
    const state = stateOf(data);
    if (response.isUnchanged && differences(state, updated(state, body)) !== '')
      return [`an update was skipped that changes what it was answered: ${JSON.stringify(body)}`];
    return status === 200 && data['id'] !== id ? [`an update of item ${id} was answered with item ${data['id']}`] : [];
  });
}

const missingFrom = (texts: readonly string[], others: readonly string[]): string[] =>
  texts.filter((text) => !others.includes(text));

const doubled = (texts: readonly string[]): string[] => texts.filter((text, index) => texts.indexOf(text) !== index);

/** One create creates at most one item, however often it is repeated with its key. A refused one creates none. */
function checkCreates(history: History): string[] {
  const creates = Map.groupBy(history.operations.filter(isCreate), ({ body }) => body['name']);
  return [...creates].flatMap(([name, attempts]) => {
    const items = itemsOf(history).filter((record) => record['name'] === name);
    const fulfilled = attempts.filter(({ response }) => response?.status === 201);
    return [
      ...(items.length > 1 ? [`${items.length} items were created by one create: ${name}`] : []),
      ...(items.length > 0 && fulfilled.length === 0 && !attempts.some(isOpen)
        ? [`a refused create left ${name}`]
        : []),
      ...(items.length === 0 && fulfilled.length > 0 ? [`a created item does not exist: ${name}`] : []),
      ...fulfilled.flatMap((operation) =>
        items.length === 0 || items.some((record) => isResponseOf(operation, record))
          ? []
          : [`a create was answered with another item or state: ${name}`],
      ),
      ...items.flatMap((record) =>
        accountOf(record) === attempts[0]?.account ? [] : [`an item crossed accounts: ${name}`],
      ),
    ];
  });
}

/** Whether a create was answered with its item as created. */
const isResponseOf = ({ body, response }: Operation, record: JsonObject): boolean =>
  response?.data['id'] === record['id'] &&
  response?.revision === 1 &&
  differences(stateOf(response.data), created(body)) === '';

/** Each key of a created item is stored with that item throughout the history, and no other keys are stored. */
function checkStoredKeys(history: History): string[] {
  const creates = history.operations.filter((operation) => isCreate(operation) && operation.key !== undefined);
  const keyed = new Set(creates.map(({ body }) => body['name']));
  const text = (account: string, { name, id }: JsonObject) => `${account} ${name} ${id}`;
  const expected = itemsOf(history)
    .filter(({ name }) => keyed.has(name))
    .map((record) => text(accountOf(record), record));
  const actual = history.records
    .filter(({ sk }) => sk === 'REQUEST')
    .map((record) => text(accountOf(record), record['item'] as JsonObject));
  return [
    ...missingFrom(expected, actual).map((item) => `the key of a created item is not stored: ${item}`),
    ...missingFrom(actual, expected).map((item) => `a stored key created no item: ${item}`),
    ...doubled(actual).map((item) => `two keys are stored for one item: ${item}`),
  ];
}

const isFulfilled = ({ response }: Operation): boolean => response?.status === 200 || response?.status === 201;

/**
 * A key creates once. Repeats get the same response, or an error if their body differs. How often an update's key
 * writes is a question of its item's history.
 */
function checkKeys({ operations }: History): string[] {
  const keyed = operations.filter(({ key }) => key !== undefined);
  return [...Map.groupBy(keyed, ({ account, id, key }) => `${account} ${id} ${key}`).values()].flatMap((attempts) => {
    const anew = attempts.filter(({ response }) => response?.status === 201 && !response.replayed);
    return [
      ...(anew.length > 1 ? [`a key created items ${anew.length} times: ${anew[0]?.key}`] : []),
      ...attempts.filter((operation) => !isConsistentWithKey(operation, attempts)).map(keyViolation),
    ];
  });
}

const keyViolation = ({ key, body, response }: Operation): string =>
  `the key ${key} does not explain ${response?.status}${response?.replayed ? ' replayed' : ''} to ${JSON.stringify(body)}`;

/** Whether a response is possible, given the other requests with its key. */
function isConsistentWithKey(operation: Operation, attempts: readonly Operation[]): boolean {
  const { response, ended } = operation;
  if (response === undefined || isOpen(operation)) return true;
  const others = attempts.filter((other) => other !== operation && other.began < ended);
  const isSame = (other: Operation) => JSON.stringify(other.body) === JSON.stringify(operation.body);
  const mayHaveWritten = others.filter((other) => isOpen(other) || isFulfilled(other));
  // An update may find that it was itself done, before others changed the item.
  if (response.replayed) return !isCreate(operation) || mayHaveWritten.some(isSame);
  if (response.code === 'IDEMPOTENCY_KEY_REUSED') return mayHaveWritten.some((other) => !isSame(other));
  return !isCreate(operation) || !others.some((other) => isFulfilled(other) && precedes(other, operation));
}

/** For every 409, another item may have had one of the identifiers at the time. */
function checkConflicts({ operations }: History, histories: readonly ItemHistory[]): string[] {
  return operations
    .filter(({ response }) => response?.status === 409)
    .filter((operation) => {
      const { account, id, body } = operation;
      const others = histories.filter(
        (one) => one.account === account && one.id !== id && one.steps[0]?.operation.body['name'] !== body['name'],
      );
      const states = others.flatMap((one) => statesDuring(one, operation));
      return !(['sku', 'pn'] as const).some(
        (name) => typeof body[name] === 'string' && states.some(({ state }) => state[name] === body[name]),
      );
    })
    .map(({ body }) => `a 409 had no other holder: ${JSON.stringify(body)}`);
}

/** The states of its item that an update may have found. */
const possibleStates = (histories: readonly ItemHistory[], operation: Operation) =>
  histories
    .filter(({ account, id }) => account === operation.account && id === operation.id)
    .flatMap((one) => statesDuring(one, operation));

/** For every 412, the item may have had another revision at the time. */
function checkPreconditions({ operations }: History, histories: readonly ItemHistory[]): string[] {
  return operations
    .filter(({ response }) => response?.status === 412)
    .filter((operation) => possibleStates(histories, operation).every(({ revision }) => allows(operation, revision)))
    .map(({ id, ifMatch }) => `item ${id} was at revision ${ifMatch} when a 412 said that it was not`);
}

/** Every 412 showed the item as it was at the time. */
function checkShownItems({ operations }: History, histories: readonly ItemHistory[]): string[] {
  const isTrue = (operation: Operation) =>
    possibleStates(histories, operation).some(
      ({ revision, state }) =>
        revision === operation.response?.revision && differences(state, stateOf(operation.response.data)) === '',
    );
  return operations
    .filter((operation) => operation.response?.status === 412 && !isTrue(operation))
    .map(({ id, response }) => `a 412 showed item ${id} at revision ${response?.revision} with wrong values`);
}

/** Every rejected metadata update would have exceeded the limit on some state of the item at the time. */
function checkTooMuch({ operations }: History, histories: readonly ItemHistory[]): string[] {
  return operations
    .filter((operation) => !isCreate(operation) && operation.response?.code === 'VALIDATION_FAILED')
    .filter(
      (operation) =>
        !possibleStates(histories, operation).some(({ state }) => hasTooMuch(updated(state, operation.body))),
    )
    .map(({ id, body }) => `item ${id} had room when a 422 said that it had not: ${JSON.stringify(body)}`);
}

/** Every item that a response names exists, in the caller's account. */
function checkMissing({ operations }: History, histories: readonly ItemHistory[]): string[] {
  return operations.flatMap(({ account, response }) => {
    const id = response?.data['id'];
    const isThere = id === undefined || histories.some((one) => one.account === account && one.id === id);
    return isThere ? [] : [`a response names item ${id}, which account ${account} does not have`];
  });
}
