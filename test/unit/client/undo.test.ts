import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemWrites } from '../../../client/storage/ranges.ts';
import { planUndo } from '../../../client/undo/plan/planUndo.ts';
import { RecordedChanges } from '../../../client/undo/plan/recordedChanges.ts';
import { type UndoProgress, UndoRun, type UndoService } from '../../../client/undo/plan/runUndo.ts';
import type { FieldReport } from '../../../client/undo/plan/undoPlan.ts';
import type { UndoSelection } from '../../../client/undo/undoTarget.ts';
import type { Item } from '../../../lib/item/item.ts';
import type { Json, JsonObject } from '../../../lib/item/json.ts';
import { CatalogModel } from '../../support/items/catalogModel.ts';
import { Random } from '../../support/time/random.ts';

/** An undo, by a user. */
type Undo = {
  selection: UndoSelection;
  user?: string;
  /** What earlier undos have written, and where this one is to note that. */
  undone?: ItemWrites;
  writes?: ItemWrites;
  /** Waits before it asks the service. */
  turn?: () => Promise<void>;
};

function planIn(model: CatalogModel, { selection }: Undo) {
  const { changes } = model;
  const own = changes.filter(({ updated_by }) => selection.users.includes(updated_by)).map(({ item }) => item);
  const known = { made: new ItemWrites(), rejected: new Map(), undone: new ItemWrites() };
  return planUndo({
    selection,
    items: model.shown(own),
    changes,
    catalog: model.catalog(),
    ...known,
  });
}

/**
 * @param rows number of rows after which it is killed
 * @param meanwhile done before each row
 * @param feed the next changes
 * @returns what is known at the end
 */
async function undo(
  model: CatalogModel,
  of: Undo,
  rows = Number.POSITIVE_INFINITY,
  meanwhile?: () => unknown,
  feed = feedOf(model),
) {
  const { selection, user = 'zoe', turn, undone, writes } = of;
  let last: UndoProgress | undefined;
  let [round, left] = [0, rows];
  const service: UndoService = {
    nextChanges: async (pause) => {
      await turn?.();
      return feed(pause);
    },
    findItems: async (ids) => {
      await turn?.();
      return [...model.shown(ids).values()];
    },
    findHolders: async (identifiers) => {
      const isHeld = (item: Item) => identifiers.some(({ name, text }) => item[name] === text);
      return [...model.shown([...model.items.values()].filter(isHeld).map((item) => item.id)).values()];
    },
    loadCatalog: async () => model.catalog(),
    async *send(step) {
      round += 1;
      expect(round).toBeLessThan(1_000);
      for (const row of round % 2 === 0 ? step : step.toReversed()) {
        if (left-- === 0) throw killed;
        await turn?.();
        meanwhile?.();
        const answer = model.write(user, row);
        if (meanwhile === undefined && turn === undefined) expect(answer).toBe('done');
        const code = answer === 412 ? 'PRECONDITION_FAILED' : 'ITEM_ALREADY_EXISTS';
        yield [{ row, ...(answer !== 'done' && { error: { code, message: '' } }) }];
      }
    },
  };
  const run = new UndoRun(selection, service, undone);
  const seen: UndoProgress[] = [];
  try {
    for await (last of run.start()) seen.push(last);
  } catch (error) {
    if (error !== killed) throw error;
  }
  writes?.addKept(run.made.kept);
  // Only the last says that all is done.
  expect(seen.slice(0, -1).filter((one) => one.left === 0)).toEqual([]);
  return { report: last?.report ?? [], seen };
}

/** Kills an undo. */
const killed = new Error('killed');

/**
 * The changes as they are recorded.
 * @param shown how many are recorded by now
 */
function feedOf(model: CatalogModel, shown = (_pause: number) => model.changes.length) {
  let [read, pauses] = [0, 0];
  return (pause: number) => {
    // Whoever waits for more than there is loses patience.
    if (pause > 0 && ++pauses > 100) throw killed;
    const page = model.changes.slice(read, shown(pause));
    read += page.length;
    return page;
  };
}

/** When the change with a number is written. */
const timeOf = (number: number) => new Date((number - 1) * 1_000);

/** What Ann has changed. */
const ofAnn = (model: CatalogModel, first = 1, last = model.changes.length) => ({
  ...{ users: ['ann'], from: timeOf(first), to: timeOf(last + 1) },
});

const few = <Value>(...of: Value[]) => fc.constantFrom(...of);
const identifier = few(null, 'A', 'B', 'C', 'D', 'null');
const key = few('a', 'a.b/~', '~1', 'constructor');
const values = {
  ...{ name: few('a', 'b'), value: few(1, 2, 3), category: few(null, 1, 2), active: fc.boolean() },
  ...{ qty: few(1, 2.5, 3), unit: few('un', 'kg', 'hour'), sku: identifier, pn: identifier },
  metadata: fc.dictionary(key, few<Json>(null, 1, { x: 1 }), { minKeys: 1, noNullPrototype: true }),
};
const author = few('ann', 'ann', 'bob', 'eve');
const id = fc.integer({ min: 1, max: 7 });

/** A create, if there is no such item, or an update. It is refused if another item has the identifier. */
const write = fc
  .tuple(author, id, fc.record(values), fc.subarray(Object.keys(values), { minLength: 1, maxLength: 3 }))
  .map(([user, of, all, names]) => (model: CatalogModel) => {
    const body = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
    model.write(user, model.items.has(of) ? { ...body, id: of } : { name: 'new', ...body });
  });
/** Two items swap an identifier. */
const swap = fc.tuple(author, few('sku', 'pn'), id, id).map(([user, name, ...ids]) => (model: CatalogModel) => {
  const [one = {}, other] = ids.map((of) => ({ id: of, [name]: valuesOf(model.items.get(of))[name] ?? null }));
  const rows = [
    { ...one, [name]: null },
    { ...one, id: ids[1] },
    { ...other, id: ids[0] },
  ];
  if (ids.every((of) => model.items.has(of))) for (const row of rows) model.write(user, row);
});
const writes = (most: number) => fc.array(fc.oneof({ weight: 3, arbitrary: write }, swap), { maxLength: most });

/** Opens a catalog in which three users have written, and the selection of what Ann has changed for a while. */
const catalog = fc.tuple(writes(10), writes(30), writes(4)).map(([before, during, after]) => () => {
  const model = new CatalogModel();
  for (const sku of ['A', 'B', 'C', 'D', null]) model.write('bob', { name: 'old', sku, pn: sku });
  for (const one of before) one(model);
  const first = model.changes.length + 1;
  for (const one of during) one(model);
  const selection = ofAnn(model, first);
  for (const one of after) one(model);
  return { model, selection };
});

/** The values of fields, and of keys of metadata. */
function valuesOf({ metadata = {}, ...fields }: Partial<Item> = {}): Readonly<Record<string, Json>> {
  const keys = Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]);
  return { ...fields, ...Object.fromEntries(keys), revision: 0, updatedAt: 0, updatedBy: '' };
}

const stateOf = (model: CatalogModel) => [...model.items.values()].map(valuesOf);

/**
 * Requires that each field has the value that others than Ann gave it last, or that it had before the selection, unless
 * the report says why not; and that an item which she created is undone only if nobody else had written it.
 */
function expectGoals(
  model: CatalogModel,
  { from, to }: UndoSelection,
  report: readonly FieldReport[],
  left = ['identifier taken', 'would be rounded'],
): void {
  const isSelected = ({ user, after }: CatalogModel['log'][number]) =>
    user === 'ann' && after.updatedAt >= +from && after.updatedAt < +to;
  for (const item of model.items.values()) {
    const all = model.log.filter(({ after }) => after.id === item.id);
    const log = all.filter(({ user }) => user !== 'zoe');
    // A write that changes nothing is in no log.
    const undone = all.find(({ user }) => user === 'zoe')?.number ?? (item.updatedBy === 'ann' ? Infinity : 0);
    const isAlone = undone > 0 && !log.some((one) => !isSelected(one) && one.number < undone);
    const isCreated = log.some(isSelected) && log.find(isSelected)?.before === undefined;
    for (const field of new Set(all.flatMap(({ after }) => Object.keys(valuesOf(after))))) {
      const valueIn = (state: Item | undefined, name = field) => JSON.stringify(valuesOf(state)[name] ?? null);
      const parts = field === 'qty' || field === 'unit' ? ['qty', 'unit'] : [field];
      const own = log.filter(({ before, after }) =>
        parts.some((name) => valueIn(before, name) !== valueIn(after, name)),
      );
      const run = own.slice(own.findLastIndex((one) => !isSelected(one)) + 1);
      const given = valueIn(own.at(-1)?.after);
      const without = isAlone ? ({ active: 'false', sku: 'null', pn: 'null' }[field] ?? given) : given;
      const before = isCreated && run.length === own.length ? without : valueIn(run[0]?.before);
      const why = report.find((one) => one.item === item.id && one.field === field);
      const isLeft = why !== undefined && left.includes(why.result);
      const kept = [given, 'null', JSON.stringify(why?.given)];
      const goal = isLeft ? expect.toBeOneOf(kept) : run.length === 0 ? given : before;
      expect([item.id, field, valueIn(item), why]).toEqual([item.id, field, goal, why]);
    }
  }
  for (const { result, before, field, holder = 0 } of report)
    if (result === 'identifier taken') expect(valuesOf(model.items.get(holder))[field]).toBe(before);
}

/** @param rest what else it depends on */
const always = <Rest>(
  rest: fc.Arbitrary<Rest>,
  property: (open: () => { model: CatalogModel; selection: UndoSelection }, rest: Rest) => Promise<void>,
) => fc.assert(fc.asyncProperty(catalog, rest, property));

describe('whatever three users have written', () => {
  it('each field gets its value before the last run, or the report says why, and nothing of others is lost', () =>
    always(writes(30), async (open, later) => {
      const [alone, other, left] = [open(), open(), [...later]];
      expectGoals(alone.model, alone.selection, (await undo(alone.model, alone)).report);
      expectGoals(
        other.model,
        other.selection,
        (await undo(other.model, other, 1e9, () => left.shift()?.(other.model))).report,
      );
    }));

  it('the undo of an undo gives what was, and either done twice does nothing', () =>
    always(few(null), async (open) => {
      const { model, selection } = open();
      const [was, first] = [stateOf(model), model.changes.length + 1];
      await undo(model, { selection });
      const { length } = model.changes;
      const again = { users: ['zoe'], from: timeOf(first), to: timeOf(length + 1) };
      await undo(model, { selection });
      expect(model.changes).toHaveLength(length);
      const { report } = await undo(model, { selection: again, user: 'eve' });
      const left = report.filter(({ result }) => result !== 'right already');
      expect(left.filter(({ result }) => result !== 'would be rounded')).toEqual([]);
      if (left.length === 0) expect(stateOf(model)).toEqual(was);
    }));

  it('an undo that is killed twice, after any of its rows, ends like one that is not', () =>
    always(fc.tuple(fc.nat(8), fc.nat(8)), async (open, kills) => {
      const [{ model, selection }, other] = [open(), open()];
      const { report } = await undo(other.model, { selection });
      for (const rows of kills) await undo(model, { selection }, rows);
      const resumed = await undo(model, { selection });
      const results = (all: typeof report) => all.map(({ item, field, result }) => [item, field, result]).sort();
      expect([stateOf(model), results(resumed.report)]).toEqual([stateOf(other.model), results(report)]);
    }));
});

describe('an undo', () => {
  it('ends like one that sees every change if some are recorded while it runs, and only then says so', () =>
    always(fc.tuple(fc.integer({ min: 1, max: 9 }), few([0], [0, 0, 1], [1])), async (open, [share, steps]) => {
      const { model, selection } = open();
      let [shown, calls] = [Math.floor((model.changes.length * share) / 10), 0];
      const feed = feedOf(model, (pause) => {
        shown += (steps[calls++ % steps.length] ?? 0) + Math.sign(pause);
        return shown;
      });
      expectGoals(model, selection, (await undo(model, { selection }, 1e9, undefined, feed)).report);
    }));

  it('gives back what was written before one of its updates, and recorded after it', async () => {
    const model = written(
      ...[ann({ id: 1, value: 2 }), ann({ name: 'Chair', sku: 'A' })],
      ...[bob({ id: 1, value: 5 }), ann({ id: 1, value: 2 }), bob({ id: 2, value: 5 }), ann({ id: 2, value: 0 })],
    );
    let pauses = 0;
    const feed = feedOf(model, (pause) => {
      pauses += Math.sign(pause);
      return pauses < 2 ? 3 : model.changes.length;
    });
    await undo(model, { selection: ofAnn(model) }, 1e9, undefined, feed);
    expect([...model.items.values()]).toMatchObject([{ value: 5 }, { active: true, sku: 'A' }]);
    expect(model.log.filter(({ user }) => user === 'zoe')).toHaveLength(4);
  });

  it('loses nothing that a change has made which is never recorded', () =>
    always(fc.nat(), async (open, place) => {
      const { model, selection } = open();
      const others = model.changes.filter(
        (one) => one.updated_by !== 'ann' && Date.parse(one.updated_at) >= +selection.from,
      );
      const [missing, feed] = [others[place % others.length], feedOf(model)];
      const recorded = (pause: number) => feed(pause).filter((one) => one !== missing);
      const { report } = await undo(model, { selection }, 1e9, undefined, recorded);
      expectGoals(model, selection, report, ['identifier taken', 'would be rounded', 'changed since']);
    }));

  it('that finds nothing ends by itself, and says up to when changes are recorded', async () => {
    const { seen } = await undo(written(), { selection: { ...ofAnn(written()), to: timeOf(5) } });
    const time = '1970-01-01T00:00:00+00:00';
    expect(seen.map(({ left, newestWrite }) => [left, newestWrite])).toEqual([1, 0].map((left) => [left, time]));
  });

  it('that finds only what is right already ends by itself', async () => {
    const model = written(ann({ id: 1, value: 2 }), bob({ id: 1, value: 1 }));
    const { seen } = await undo(model, { selection: ofAnn(model) });
    expect(seen.map(({ left, updates }) => [left, updates])).toEqual([
      [1, 0],
      [0, 0],
    ]);
  });

  it('looks at all once more at its end, and puts back what can go back by then', async () => {
    const model = written(
      ...[bob({ id: 1, sku: 'A' }), bob({ name: 'Lamp', value: 1 })],
      ...[ann({ id: 1, sku: null }), ann({ id: 2, value: 2 }), bob({ name: 'Desk', sku: 'A' })],
    );
    const { report } = await undo(model, { selection: ofAnn(model) }, 1e9, () => bob({ id: 3, sku: null })(model));
    expect(report.map(({ result }) => result)).toEqual(['right already', 'right already']);
    expect(model.items.get(1)?.sku).toBe('A');
  });
});

const [ann, bob] = ['ann', 'bob'].map(
  (user) => (row: JsonObject) => (model: CatalogModel) => model.write(user, row),
) as [By, By];
type By = (row: JsonObject) => (model: CatalogModel) => unknown;

/** A catalog in which Bob has created item 1, and these were written. */
function written(...rows: readonly ReturnType<By>[]): CatalogModel {
  const model = new CatalogModel();
  for (const one of [bob({ name: 'Desk', value: 1, qty: 2.5, unit: 'kg', category: 2, metadata: { a: 1 } }), ...rows])
    expect(one(model)).toBe('done');
  return model;
}

/** The report on what Ann has changed, its results by item and field, and the rows. */
function planOf(model: CatalogModel, selection: Partial<UndoSelection> = {}) {
  const { report, steps } = planIn(model, { selection: { ...ofAnn(model), ...selection } });
  const results = Object.fromEntries(report.map(({ item, field, result }) => [`${item} ${field}`, result]));
  return { report, results, rows: steps.flat().map(({ revision: _, ...row }) => row) };
}

describe('a field', () => {
  /** The results alone, in the order of the changes. */
  const resultsOf = (model: CatalogModel) => Object.values(planOf(model).results);

  it('goes back to what others gave it last, or before the selection, even if a change was recorded late', () => {
    const model = written(ann({ id: 1, value: 2 }), bob({ id: 1, value: 3 }), ann({ id: 1, value: 4 }));
    expect(planOf(model).rows).toEqual([{ id: 1, value: 3 }]);
    expect(planOf(model, { from: timeOf(5) }).rows).toEqual([]);
    const [report] = planOf(model, { to: timeOf(3) }).report;
    expect(report).toMatchObject({ result: 'changed since', before: 1, given: 2, now: 4, by: 'ann' });
    for (const at of [1, 2]) Object.assign(model.changes[at] ?? {}, { number: 4 - at });
    expect(planOf(model).rows).toEqual([{ id: 1, value: 3 }]);
  });

  it('is meant from the second in which the mistake began to before its end', () => {
    const model = written(ann({ id: 1, value: 2 }));
    const isMeant = (from: number, to: number) =>
      planOf(model, { from: new Date(from), to: new Date(to) }).rows.length > 0;
    expect([isMeant(1_000, 1_001), isMeant(1_999, 2_500), isMeant(0, 1_500)]).toEqual([true, true, true]);
    expect([isMeant(2_000, 3_000), isMeant(0, 1_000)]).toEqual([false, false]);
  });

  it('goes back to what a missing change made, if the values tell, and not by revisions or values not kept', () => {
    const all = { to: timeOf(99) };
    const model = written(ann({ id: 1, value: 2 }), bob({ id: 1, value: 3 }), ann({ id: 1, value: 4 }));
    model.changes.splice(2, 1);
    expect(planOf(model, all).rows).toEqual([{ id: 1, value: 3 }]);
    model.changes[1]?.fields.splice(0, 1, { field: 'value' });
    expect(planOf(model, all).results).toEqual({ '1 value': 'too large to be kept' });
    const whole = written(ann({ id: 1, value: 2 }), bob({ id: 1, value: 2 }), ann({ id: 1, value: 4 }));
    expect([planOf(whole).rows, whole.items.get(1)?.revision]).toEqual([[{ id: 1, value: 1 }], 4]);
    const weight = written(ann({ id: 1, qty: 3 }), bob({ id: 1, unit: 'un' }), ann({ id: 1, unit: 'hour' }));
    weight.changes.splice(2, 1);
    expect(planOf(weight, all).results).toEqual({ '1 qty': 'changed since', '1 unit': 'put back' });
  });

  it('stays if others have changed it since, even back to the same value, or too lately to be recorded', () => {
    const model = written(ann({ id: 1, value: 2, qty: 3 }), bob({ id: 1, value: 3 }), bob({ id: 1, value: 2 }));
    expect(resultsOf(model)).toEqual(['changed since', 'put back']);
    model.changes.splice(2);
    expect(resultsOf(model)).toEqual(['put back', 'put back']);
    bob({ id: 1, value: 5 })(model);
    model.changes.splice(2);
    expect(resultsOf(model)).toEqual(['changed since', 'put back']);
  });

  it('is one value with its unit if it is a quantity: both go back exactly as they were, or not at all', () => {
    const model = written(ann({ id: 1, qty: 3, unit: 'un' }));
    expect(planOf(model).rows).toEqual([{ id: 1, qty: 2.5, unit: 'kg' }]);
    const large = written(ann({ id: 1, qty: 3 }), ann({ id: 1, unit: 'un' }));
    large.changes[1]?.fields.splice(0, 1, { field: 'qty' });
    expect(resultsOf(large)).toEqual(['too large to be kept', 'too large to be kept']);
    bob({ id: 1, qty: 7 })(model);
    expect(resultsOf(model)).toEqual(['changed since', 'changed since']);
    model.changes.splice(2);
    expect(resultsOf(model)).toEqual(['changed since', 'changed since']);
    const odd = written(bob({ id: 1, unit: 'un' }), ann({ id: 1, qty: 3, unit: 'hour' }));
    expect(resultsOf(odd)).toEqual(['would be rounded', 'would be rounded']);
    odd.account = { ...odd.account, units: new Map() };
    expect(resultsOf(odd)).toEqual(['unit unknown', 'unit unknown']);
  });

  it('stays if what it was is not known, or cannot be any more', () => {
    const model = written(
      ann({ id: 1, category: 1, value: 2, metadata: { a: 2, b: 1 } }),
      ann({ id: 1, value: 3, metadata: { a: 3, b: 2 } }),
    );
    model.account = { ...model.account, categories: new Map([[2, { name: 'Old', archived: true }]]) };
    expect(resultsOf(model)).toEqual(['category archived', 'put back', 'put back', 'put back']);
    model.changes[1]?.fields.splice(0, 9, { field: 'value' }, { field: 'metadata', path: '/a' });
    expect(resultsOf(model)).toEqual(['too large to be kept', 'too large to be kept', 'put back']);
    bob({ id: 1, name: 'x' })(model);
    model.changes.at(-1)?.fields.splice(0, 9, { field: 'metadata' });
    expect(resultsOf(model)).toEqual(['too large to be kept', 'changed since', 'changed since']);
    const long = written(ann({ id: 1, value: 2 }));
    long.changes[1]?.fields.splice(0, 1, { field: 'value', from: 1 });
    expect(resultsOf(long)).toEqual(['too large to be kept']);
    model.items.clear();
    expect(resultsOf(model)).toEqual(Array(3).fill('item removed'));
  });

  it('is left out if its change, its item or itself is not selected', () => {
    const model = written(ann({ name: 'Chair' }), ann({ id: 1, value: 2, name: 'x', metadata: { a: 2, b: 1 } }));
    const found = (selection: Partial<UndoSelection>) => Object.keys(planOf(model, selection).results);
    expect(found({ kinds: ['updated'] })).toEqual(['1 name', '1 value', '1 metadata.a', '1 metadata.b']);
    expect(found({ items: [2] })).toEqual(['2 active']);
    expect(found({ fields: ['value', 'metadata.b'] })).toEqual(['1 value', '1 metadata.b']);
    expect(found({ fields: ['metadata'] })).toEqual(['1 metadata.a', '1 metadata.b']);
  });

  it('goes back with as many keys of metadata as an item and a request can have, in several rows', async () => {
    const model = written();
    const each = (count: number, write: (index: number) => ReturnType<By>) =>
      Array.from({ length: count }, (_, index) => write(index)(model));
    each(99, (index) => bob({ id: 1, metadata: { [`b${index}`]: 1 } }));
    each(60, (index) => ann({ id: 1, metadata: { [`b${index}`]: null } }));
    each(60, (index) => ann({ id: 1, metadata: { [`c${index}`]: 1 } }));
    ann({ id: 1, metadata: { a: 2 } })(model);
    expect(resultsOf(model)).not.toContain('too many keys');
    bob({ id: 1, metadata: { d: 1, c0: null } })(model);
    const results = { '1 metadata.b0': 'too many keys', '1 metadata.c1': 'put back', '1 metadata.a': 'put back' };
    expect(planOf(model).results).toMatchObject(results);
    bob({ id: 1, metadata: { d: null } })(model);
    await undo(model, { selection: ofAnn(model) });
    expect(Object.keys(model.items.get(1)?.metadata ?? {}).filter((name) => name.startsWith('b'))).toHaveLength(99);
  });
});

it('a created item becomes inactive and frees its identifiers, unless others have written it since', () => {
  const model = written(ann({ name: 'Chair', sku: 'A' }), ann({ id: 2, value: 9, pn: 'B' }));
  expect(planOf(model).rows).toEqual([{ id: 2, active: false, sku: null, pn: null }]);
  model.changes[1]?.fields.splice(0, 99, { field: 'active' }, { field: 'sku' });
  expect(planOf(model).rows).toEqual([{ id: 2, active: false, sku: null, pn: null }]);
  bob({ id: 2, value: 9 })(model);
  expect(Object.values(planOf(model).results)).toEqual(Array(3).fill('created, and written since'));
  expect(planOf(model).results).not.toHaveProperty('2 value');
  for (const one of [bob({ id: 2, value: 8 }), ann({ id: 2, value: 7 })]) one(model);
  const { results, rows } = planOf(model);
  expect(Object.values(results).filter((one) => one === 'created, and written since')).toHaveLength(3);
  expect([results['2 value'], rows]).toEqual(['put back', [{ id: 2, value: 8 }]]);
});

it('an item that was created stays if what its next change began with shows that others have written it', () => {
  const model = written(ann({ name: 'Chair' }));
  for (const one of [bob({ id: 2, name: 'Desk' }), ann({ id: 2, name: 'Lamp' })]) one(model);
  model.changes.splice(2, 1);
  const { results, rows } = planOf(model, { to: timeOf(99) });
  expect(results).toMatchObject({ '2 active': 'created, and written since', '2 name': 'put back' });
  expect(rows).toMatchObject([{ id: 2, name: 'Desk' }]);
});

it.each<JsonObject>([
  { sku: 'C' },
  { description: 'x' },
  { metadata: { b: 1 } },
  { metadata: { a: null } },
  { value: 1 },
])('a created item stays if others wrote %o so lately that no change says so, whoever wrote it last', (fields) => {
  const model = written(ann({ name: 'Chair', metadata: { a: 1 } }));
  for (const one of [bob({ id: 2, ...fields }), ann({ id: 2, name: 'Lamp' })]) one(model);
  model.changes.splice(2, 1);
  // The window includes the last write, by the user whose mistake it was.
  const { results } = planOf(model, { to: timeOf(99) });
  expect(new Set(Object.values(results))).toEqual(new Set(['created, and written since']));
  const same = written(ann({ name: 'Chair' }), ann({ id: 2, name: 'Lamp' }));
  for (const one of [bob({ id: 2, name: 'Lamp' }), ann({ id: 2, value: 3 })]) one(same);
  expect(planOf(same).rows).toEqual([{ id: 2, active: false }]);
});

it('an undo waits for its updates to be recorded, but not of an item that is removed meanwhile', async () => {
  const model = written(ann({ id: 1, value: 2 }));
  const feed = feedOf(model);
  const recorded = new RecordedChanges(ofAnn(model), async (pause) => feed(pause));
  await recorded.read();
  const made = new ItemWrites({ 3: [[1, 1]] });
  expect(recorded.isEnough(made)).toBe(false);
  model.changes.push({ ...(model.changes[1] as (typeof model.changes)[number]), number: 3, kind: 'removed' });
  await recorded.read();
  expect(recorded.isEnough(made)).toBe(true);
  // One that is recorded late takes nothing back.
  const newest = recorded.state.newestWrite;
  model.changes.push({ ...(model.changes[0] as (typeof model.changes)[number]), number: 4 });
  await recorded.read();
  expect([recorded.isEnough(made), recorded.state.newestWrite]).toEqual([true, newest]);
});

describe('identifiers', () => {
  /** Items with the SKU of their id, of which Ann gives each another. */
  function moved(size: number, skuOf: (id: number) => string | null) {
    const ids = Array.from({ length: size }, (_, index) => index + 1);
    const model = new CatalogModel();
    for (const of of ids) bob({ name: 'Desk', sku: `S${of}` })(model);
    for (const of of ids) ann({ id: of, sku: null })(model);
    for (const of of ids) ann({ id: of, sku: skuOf(of), pn: `P${of}` })(model);
    return { model, selection: ofAnn(model), left: () => ids.filter((of) => model.items.get(of)?.sku !== `S${of}`) };
  }

  it('that were shifted by one row go back from the free end', async () => {
    const { model, selection, left } = moved(500, (of) => `S${of + 1}`);
    const steps = planIn(model, { selection }).steps.map((step) => step.map((row) => row.id));
    expect(steps).toEqual(left().map((of) => [of]));
    await undo(model, { selection });
    expect(left()).toEqual([]);
  });

  it.each([
    ['at once', 0],
    ['some seconds later', 20],
  ])('go back if four undo them at once, and their changes are recorded %s', async (_, lag) => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new Random(seed);
      const size = 3 + random.below(10);
      const { model, selection, left } = moved(size, (of) => `S${of + 1}`);
      const waiting: (() => void)[] = [];
      const turn = () => new Promise<void>((go) => waiting.push(go));
      let open = 4;
      const recorded = () => {
        let shown = model.changes.length;
        return feedOf(model, (pause) => {
          shown = pause > 0 ? model.changes.length : Math.max(shown, model.changes.length - random.below(lag + 1));
          return shown;
        });
      };
      const undoing = ['zoe', 'eve', 'ann', 'zoe'].map((user) =>
        undo(model, { selection, user, turn }, 1e9, undefined, recorded()).finally(() => {
          open -= 1;
        }),
      );
      for (; open > 0; await setImmediate()) waiting.splice(random.below(waiting.length), 1)[0]?.();
      await Promise.all(undoing);
      expect([seed, left()]).toEqual([seed, []]);
    }
  });

  it('that others have taken since are reported with their holder, and so are those that wait for them', async () => {
    const { model, selection, left } = moved(3, (of) => (of === 3 ? null : `S${of + 1}`));
    bob({ name: 'Other', sku: 'S1' })(model);
    const { report } = await undo(model, { selection: { ...selection, fields: ['sku'] } });
    expect(report.map(({ item, result, holder }) => [item, result, holder])).toEqual(
      [4, 1, 2].map((holder, index) => [index + 1, 'identifier taken', holder]),
    );
    expect(left()).toEqual([1, 2, 3]);
  });

  it('go to the item that had them last, if two had the same', () => {
    const [first, last] = [[ann({ id: 2, sku: null }), bob({ id: 1, sku: 'A' })], [ann({ id: 1, sku: 'B' })]];
    const model = written(bob({ name: 'Chair', sku: 'A' }), ...first, ...last);
    expect(planOf(model).rows).toEqual([{ id: 1, sku: 'A' }]);
    expect(planOf(model).report[1]).toMatchObject({ item: 2, result: 'identifier taken', holder: 1 });
  });
});

it('a new item stays that a colleague has given a cost which the user may not see', () => {
  const model = written(ann({ name: 'Chair', sku: 'A' }), bob({ id: 2, cost: 7 }));
  model.changes.at(-1)?.fields.splice(0);
  const kept = 'created, and written since';
  expect(planOf(model).results).toEqual({ '2 active': kept, '2 sku': kept });
});

it('an undo can be undone with what it has kept for others', async () => {
  const model = written(ann({ id: 1, value: 2 }));
  const writes = new ItemWrites();
  await undo(model, { selection: ofAnn(model), writes });
  const again = { users: ['zoe'], from: timeOf(3), to: timeOf(4) };
  await undo(model, { selection: again, user: 'eve', undone: writes });
  expect(model.items.get(1)).toMatchObject({ value: 2, updatedBy: 'eve' });
});

describe('two mistakes, the newest undone first', () => {
  const during = (model: CatalogModel, from: number, to: number): UndoSelection => ({
    users: ['ann'],
    from: new Date(from * 1_000),
    to: new Date(to * 1_000),
    items: [...model.items.keys()],
  });

  it.each([
    ['changed an item', { id: 1, value: 20, metadata: { a: 1 } }, { value: 1, active: true }],
    ['created one', { name: 'Lamp', sku: 'L', value: 20 }, { active: false, sku: null }],
  ])('go back as a whole if the older %s, whoever undid the newer, and stay if others wrote', async (_, first, due) => {
    for (const colleague of [undefined, bob]) {
      const model = written();
      const begin = model.log.length;
      ann(first)(model);
      const middle = model.log.length;
      const id = Number(model.changes.at(-1)?.item);
      ann({ id, value: 30, metadata: { a: 2 } })(model);
      const writes = new ItemWrites();
      await undo(model, { selection: during(model, middle, model.log.length), user: 'zoe', writes });
      expect(model.items.get(id)).toMatchObject({ value: 20, updatedBy: 'zoe' });
      for (const value of [21, 20]) colleague?.({ id, value })(model);
      await undo(model, { selection: during(model, begin, middle), user: 'zoe', undone: writes });
      expect(model.items.get(id)).toMatchObject(colleague === undefined ? due : { value: 20, active: true });
    }
  });

  it('go back to what others gave last, although the newer one began with a value that the item had before', async () => {
    const model = written(bob({ id: 1, value: 2 }), ann({ id: 1, value: 1 }), ann({ id: 1, value: 5 }));
    const writes = new ItemWrites();
    await undo(model, { selection: during(model, 3, 4), writes });
    expect(model.items.get(1)).toMatchObject({ value: 1 });
    await undo(model, { selection: during(model, 2, 3), undone: writes });
    expect(model.items.get(1)).toMatchObject({ value: 2 });
  });
});
