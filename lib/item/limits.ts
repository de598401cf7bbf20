/** The request fields in the order of spec table 2.1, which is also the order in which errors name them. */
export const fieldNames = [
  'name',
  'type',
  'category',
  'value',
  'qty',
  'unit',
  'description',
  'active',
  'cost',
  'tax',
  'sku',
  'pn',
  'tag',
  'metadata',
] as const;

export type FieldName = (typeof fieldNames)[number];

/** Every bound on what a caller may send (spec 8, and where it is silent, docs/api.md). Lengths are in Unicode code points. */
export const limits = {
  name: { min: 1, max: 150 },
  unit: { max: 8 },
  identifier: { max: 45 },
  description: { max: 20_000 },
  tag: { max: 500 },
  value: { min: 0, max: 99_999_999.9999, decimals: 4 },
  qty: { min: 0, max: 99_999_999.9999 },
  cost: { min: 0, max: 99_999_999.9999, decimals: 4 },
  tax: { min: 0, max: 999_999.999999, decimals: 6 },
  metadata: {
    keyLength: { min: 1, max: 64 },
    /** Containers within one another, the metadata object itself being the first. */
    levels: 5,
    stringLength: 2_000,
    keysPerRequest: 50,
    keysStored: 100,
    /**
     * Values at any level: each costs the function and the database time, however small it is. Under one key, which
     * bounds what an item can collect over many requests, and in one request.
     */
    valuesPerKey: 200,
    valuesPerRequest: 1_000,
    /** Magnitudes outside of these, other than 0, DynamoDB refuses or cannot keep as the double that was sent. */
    number: { min: 1e-130, max: 9.99e125 },
  },
  /** Of the text that names in a list begin with. */
  search: { max: 150 },
  /** Items on a page of a list. */
  page: { min: 1, max: 100, default: 50 },
  /** Size in bytes of the name that an item is listed under: DynamoDB's limit for a sort key, less the item's id. */
  listedName: 1_007,
  /** Size of a stored item in bytes, which is DynamoDB's limit. */
  item: 400 * 1024,
  /** Size of a request body in bytes. */
  body: 256 * 1024,
  /** Size in bytes of the items on a page; Lambda's limit for a whole response is 6 MB. */
  pageBytes: 5 * 1024 * 1024,
} as const;
