import { create, get, getCatalog, list, update } from '../support/api/apiRequests.ts';

/** The items in the order of their creation, so that their ids are 1, 2 and so on. */
const items = {
  plain: { name: 'Plain' },
  coded: {
    ...{ name: 'Oak desk', type: 'service', category: 2, value: 0.30000000000000004, qty: 1.2345, unit: 'kg' },
    ...{ description: '', cost: 8.25, tax: 1.5, sku: 'CODE-1', pn: 'P#SKU#"✂"', tag: 'a;b' },
  },
  archived: { name: 'Straße 5', category: 3, unit: 'pallet' },
  custom: {
    name: ' Chair ',
    metadata: {
      ...{ text: 'é', empty: '', zero: 0, small: 1e-130, large: 9.99e125, yes: true, no: false, gone: 1 },
      ...{ list: [1, 'a', null, []], object: { a: { b: null }, 'a.b': {} }, constructor: 1, '#n': 1, ':v': 1 },
    },
  },
  fenced: { name: 'Fenced', sku: 'F-1' },
  restored: { name: 'Restored', sku: 'R-1', pn: 'R-1' },
  inactive: { name: 'Ärmel', active: false, category: null },
  // Its listed name is truncated.
  longest: { name: 'ﷺ'.repeat(150) },
} as const;

type Name = keyof typeof items;
const names = Object.keys(items) as Name[];

export const idOf = (name: Name): number => names.indexOf(name) + 1;

const withKey = (key: string) => ({ 'idempotency-key': key });
const keyed: readonly Name[] = ['coded', 'archived', 'custom', 'restored'];
const createOf = (name: Name) => create(items[name], keyed.includes(name) ? withKey(`create-${name}`) : {});
const keyedUpdate = update(idOf('coded'), { value: 9 }, withKey('update-coded'));

export const creates = names.map(createOf);

export const updates = [
  update(idOf('plain'), { name: 'Plainer', value: 2.5 }),
  update(idOf('coded'), { sku: 'CODE-2', pn: null }),
  keyedUpdate,
  update(idOf('custom'), { metadata: { gone: null, more: [1] } }),
];

export const lostUpdate = update(idOf('fenced'), { value: 7 });

const formOf = (name: Name, fields = {}) => update(idOf(name), { ...items[name], ...fields });
const pageOf = (parameters: Readonly<Record<string, string>>) => list({ limit: '3', ...parameters });

/** The reads of the stored records, in this order. */
export const reads = {
  reader: [getCatalog(), get(idOf('coded')), pageOf({ category: '2' })],
  editor: [
    getCatalog(),
    ...names.map((name) => get(idOf(name))),
    ...[{}, { include_inactive: 'true' }, { search: 'straße' }, { category: '3' }, { sku: 'CODE-2' }].map(pageOf),
    ...keyed.map(createOf),
    create({ name: 'Other' }, withKey('create-coded')),
    create({ name: 'Other', sku: 'CODE-2' }),
    formOf('plain', { value: 3 }),
    formOf('plain', { category: 3 }),
    formOf('coded', { sku: 'CODE-2', pn: null, qty: 2.34567 }),
    formOf('archived', { qty: 1.25 }),
    update(idOf('custom'), { metadata: { ...items.custom.metadata, list: null } }),
    update(idOf('fenced'), { value: 8, sku: null }),
    update(idOf('restored'), { value: 8 }, { 'if-match': '"1"' }),
    update(idOf('restored'), { value: 8, sku: 'CODE-1' }),
    update(idOf('inactive'), { active: true, sku: 'F-1' }),
    update(idOf('longest'), { name: 'Short', pn: 'R-1' }),
    pageOf({ include_inactive: 'true' }),
    keyedUpdate,
  ],
};
