import type { Finding } from '../../lib/operator/verification/finding.ts';
import { verifyRecords } from '../../lib/operator/verification/verifyTable.ts';
import { differences, hasTooMuch, stateOf, updated } from '../support/itemModel.ts';
import type { History, Operation } from './history.ts';
import type { Life } from './itemHistories.ts';
import { explain, statesDuring } from './itemHistories.ts';
import { allows, isCreate, isOpen, itemsOf, precedes } from './operations.ts';
import { checkCreates, checkGuards, checkIds, checkKeptKeys } from './recordRules.ts';

/**
 * Looks for anything in a history that the service's promises forbid.
 * @returns the violations in words; none for a history that some order of atomic writes explains
 */
export async function check(history: History): Promise<string[]> {
  const findings = await verifyRecords(history.records, timeOf(history));
  const unsound = findings.map(objectionOf);
  // What cannot be read, or lies where it does not belong, cannot be judged.
  if (findings.some(({ kind }) => kind === 'unreadable record')) return unsound;
  const violations = [
    ...checkAnswers(history),
    ...checkGuards(history),
    ...checkIds(history),
    ...unsound,
    ...checkCreates(history),
    ...checkKeptKeys(history),
    ...checkKeys(history),
  ];
  const lives: Life[] = [];
  for (const record of itemsOf(history)) {
    const life = explain(history, record);
    if (typeof life === 'string')
      violations.push(`no order of writes explains item ${record['id']} (${record['name']}): ${life}`);
    else lives.push(life);
  }
  // Without every item's life there is nothing to judge refusals by.
  if (violations.length > 0) return violations;
  return [
    ...checkConflicts(history, lives),
    ...checkPreconditions(history, lives),
    ...checkShownItems(history, lives),
    ...checkTooMuch(history, lives),
    ...checkMissing(history, lives),
  ];
}

/** When the table was as it is, in milliseconds since 1970: histories have clocks of their own. */
const timeOf = ({ records }: History): number =>
  records.reduce((latest, { written_at }) => Math.max(latest, Number(written_at ?? 0)), Date.now());

/** What the table's own verification finds. */
const objectionOf = (finding: Finding): string => {
  const where = 'key' in finding ? `${finding.key.pk} ${finding.key.sk}` : finding.account;
  return `the verification finds: ${finding.kind} ${where}`;
};

/** What each operation is answered in histories: all that their requests can come to. */
const documented = new Set([
  'create 201',
  'create 201 replayed',
  'create 409 ITEM_ALREADY_EXISTS',
  'create 422 IDEMPOTENCY_KEY_REUSED',
  'create 503 SERVICE_UNAVAILABLE',
  'update 200',
  'update 409 ITEM_ALREADY_EXISTS',
  'update 412 PRECONDITION_FAILED',
  'update 422 VALIDATION_FAILED',
  'update 503 SERVICE_UNAVAILABLE',
]);

/** Only documented answers, and of an update only such as speak of its item. */
function checkAnswers({ operations }: History): string[] {
  return operations.flatMap((operation) => {
    const { id, ifMatch, key, answer, body } = operation;
    if (answer === undefined) return [];
    const { status, code, data, replayed } = answer;
    const kind = isCreate(operation) ? 'create' : 'update';
    const text = [kind, status, code ?? (replayed && 'replayed')].filter(Boolean).join(' ');
    if (operation.isConfirmed && status !== 200 && status !== 201)
      return [`a done ${kind} was answered ${status}: ${JSON.stringify(body)}`];
    if (operation.isCalm && status !== 201) return [`a create was answered ${status} although nothing went wrong`];
    const isUncalledFor = (status === 412 && ifMatch === undefined) || (replayed && key === undefined);
    if (!documented.has(text) || isUncalledFor)
      return [`an answer is not documented: ${text} to ${JSON.stringify(body)}`];
    return status === 200 && data['id'] !== id ? [`an update of item ${id} was answered with item ${data['id']}`] : [];
  });
}

/** A key creates once; whoever uses it again is told the same, or that it is another request's. */
function checkKeys({ operations }: History): string[] {
  const creates = operations.filter(({ key }) => key !== undefined);
  return [...Map.groupBy(creates, ({ account, key }) => `${account} ${key}`).values()].flatMap((attempts) => {
    const fulfilled = attempts.filter(({ answer }) => answer?.status === 201);
    const anew = fulfilled.filter(({ answer }) => answer?.replayed === false);
    return [
      ...(anew.length > 1 ? [`a key was fulfilled ${anew.length} times: ${anew[0]?.key}`] : []),
      ...attempts.filter((operation) => !isTrueToKey(operation, attempts)).map(misled),
    ];
  });
}

const misled = ({ key, body, answer }: Operation): string =>
  `the key ${key} does not explain ${answer?.status}${answer?.replayed ? ' replayed' : ''} to ${JSON.stringify(body)}`;

/** Whether an answer is one that the other requests under its key leave possible. */
function isTrueToKey(operation: Operation, attempts: readonly Operation[]): boolean {
  const { answer, ended } = operation;
  if (answer === undefined || isOpen(operation)) return true;
  const others = attempts.filter((other) => other !== operation && other.began < ended);
  const isSame = (other: Operation) => JSON.stringify(other.body) === JSON.stringify(operation.body);
  const mayHaveCreated = others.filter((other) => isOpen(other) || other.answer?.status === 201);
  if (answer.replayed) return mayHaveCreated.some(isSame);
  if (answer.status === 422) return mayHaveCreated.some((other) => !isSame(other));
  return !others.some((other) => other.answer?.status === 201 && precedes(other, operation));
}

/** Every 409 had another item that may have held one of the codes meanwhile. */
function checkConflicts({ operations }: History, lives: readonly Life[]): string[] {
  return operations
    .filter(({ answer }) => answer?.status === 409)
    .filter((operation) => {
      const { account, id, body } = operation;
      const others = lives.filter(
        (life) => life.account === account && life.id !== id && life.steps[0]?.operation.body['name'] !== body['name'],
      );
      const met = others.flatMap((life) => statesDuring(life, operation));
      return !(['sku', 'pn'] as const).some(
        (name) => typeof body[name] === 'string' && met.some(({ state }) => state[name] === body[name]),
      );
    })
    .map(({ body }) => `a 409 had no other holder: ${JSON.stringify(body)}`);
}

/** What an update may have met of its item. */
const statesMet = (lives: readonly Life[], operation: Operation) =>
  lives
    .filter(({ account, id }) => account === operation.account && id === operation.id)
    .flatMap((life) => statesDuring(life, operation));

/** Every 412 had another revision meanwhile. */
function checkPreconditions({ operations }: History, lives: readonly Life[]): string[] {
  return operations
    .filter(({ answer }) => answer?.status === 412)
    .filter((operation) => statesMet(lives, operation).every(({ revision }) => allows(operation, revision)))
    .map(({ id, ifMatch }) => `item ${id} was at revision ${ifMatch} when a 412 said that it was not`);
}

/** Every 412 showed the item as it was meanwhile. */
function checkShownItems({ operations }: History, lives: readonly Life[]): string[] {
  const isTrue = (operation: Operation) =>
    statesMet(lives, operation).some(
      ({ revision, state }) =>
        revision === operation.answer?.revision && differences(state, stateOf(operation.answer.data)) === '',
    );
  return operations
    .filter((operation) => operation.answer?.status === 412 && !isTrue(operation))
    .map(({ id, answer }) => `a 412 showed item ${id} at revision ${answer?.revision} as it was not`);
}

/** Every refusal of an update's metadata had an item that they would have made too large. */
function checkTooMuch({ operations }: History, lives: readonly Life[]): string[] {
  return operations
    .filter((operation) => !isCreate(operation) && operation.answer?.status === 422)
    .filter((operation) => !statesMet(lives, operation).some(({ state }) => hasTooMuch(updated(state, operation.body))))
    .map(({ id, body }) => `item ${id} had room when a 422 said that it had not: ${JSON.stringify(body)}`);
}

/** Every item that an answer speaks of is there, and in the account that asked. */
function checkMissing({ operations }: History, lives: readonly Life[]): string[] {
  return operations.flatMap(({ account, answer }) => {
    const id = answer?.data['id'];
    const isThere = id === undefined || lives.some((life) => life.account === account && life.id === id);
    return isThere ? [] : [`an answer speaks of item ${id}, which account ${account} does not have`];
  });
}
