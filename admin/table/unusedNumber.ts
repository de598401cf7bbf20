/**
 * A revision or id that cannot have been reached since a time, because DynamoDB writes a record at most once a
 * millisecond. Those that were used since must not be used again: a client's old ETag would match other values, and an
 * old id would name another item.
 * @param last the number at that time
 * @param elapsed milliseconds since that time
 * @param each how many are used by one write
 */
export const unusedNumber = (last: number, elapsed: number, each = 1): number =>
  last + Math.max(1, Math.ceil(elapsed)) * each;
