/** The part of an account's configuration that its items depend on. The store loads it; operators change it. */
export interface Account {
  readonly id: string;
  /** Used when a create omits `category` (spec 4.1 rule 2). Null means no category. */
  readonly defaultCategory: number | null;
  /** Used when a create omits `tax`. */
  readonly defaultTax: number;
  /** Includes archived categories: items keep them, but no request can choose them. */
  readonly categories: ReadonlyMap<number, Category>;
  /** The registered units, each with the number of decimals (0 to 4) that `qty` is rounded to. */
  readonly units: ReadonlyMap<string, number>;
}

export interface Category {
  readonly name: string;
  readonly archived: boolean;
}

/** Whether a request can choose this category: the account has it, and it is not archived. */
export const isOpenCategory = (category: number, { categories }: Account): boolean =>
  categories.get(category)?.archived === false;

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

export const maxUnitDecimals = 4;

/** The unit used when a create omits `unit` (spec 4.1 rule 3). */
export const defaultUnit = { product: 'un', service: 'hour' } as const;
