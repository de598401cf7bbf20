/** How long an `Idempotency-Key` is known, in seconds. */
export const idempotencyLifetime = 24 * 60 * 60;

const name = { min: 1, max: 150 };

/** Every limit on what callers send: from spec 8, or ours where it is silent. Lengths are in Unicode code points. */
export const limits = {
  name,
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
    /** Maximum nesting depth; the metadata object itself is level 1. */
    levels: 5,
    stringLength: 2_000,
    keysPerRequest: 100,
    keysStored: 100,
    /** At all levels, as each value costs time. The limit per key bounds what many requests can add to an item. */
    valuesPerKey: 200,
    valuesPerRequest: 1_000,
    /** Except for 0, DynamoDB rejects magnitudes outside this range, or cannot store the exact double that was sent. */
    number: { min: 1e-130, max: 9.99e125 },
  },
  categoryName: { max: 150 },
  /** Above either, an account gets no more categories or units. The bytes are a third of what Lambda can return. */
  configuration: { categories: 10_000, units: 10_000, bytes: 2 * 1024 * 1024 },
  /** Length of the text that a list is searched by. No name begins with a longer one. */
  search: { max: name.max },
  page: { min: 1, max: 100, default: 50 },
  rows: { min: 1, max: 50 },
  /** Size in bytes of an item's listed name: DynamoDB's sort key limit minus the item's id. */
  listedName: 1_007,
  /** Size of a stored item in bytes. This is DynamoDB's limit. */
  item: 400 * 1024,
  /** Size of a request body in bytes. */
  body: 256 * 1024,
  /** Size in bytes of the entries of a page, as Lambda measures them. It limits the whole result to 6 MB. */
  pageBytes: 5 * 1024 * 1024,
} as const;
