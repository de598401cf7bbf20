/** What an account has set up, as far as its items depend on it. Loaded by the store, changed by operators. */
export interface Account {
  readonly id: string;
  /** Chosen when a create omits `category` (spec 4.1 rule 2); null: none. */
  readonly defaultCategory: number | null;
  /** Taken when a create omits `tax`. */
  readonly defaultTax: number;
  /** Archived ones included: items keep them, but no request can choose them. */
  readonly categories: ReadonlyMap<number, Category>;
  /** The registered units and the number of decimals, 0 to 4, that `qty` is rounded to in each. */
  readonly units: ReadonlyMap<string, number>;
}

interface Category {
  readonly name: string;
  readonly archived: boolean;
}

/** Whether a request can choose a category of an account: it is there and not archived. */
export const isOpenCategory = (category: number, { categories }: Account): boolean =>
  categories.get(category)?.archived === false;

/** The units of a newly opened account. */
export const initialUnits: ReadonlyMap<string, number> = new Map([
  ['un', 0],
  ['hour', 2],
  ['day', 2],
  ['month', 2],
  ['kg', 3],
  ['g', 0],
  ['m', 2],
  ['m2', 2],
  ['m3', 3],
  ['l', 3],
  ['box', 0],
  ['set', 0],
]);

/** The most decimals a unit may round to. */
export const maxUnitDecimals = 4;

/** The unit of a created item that names none (spec 4.1 rule 3). */
export const defaultUnit = { product: 'un', service: 'hour' } as const;
