/**
 * Revisions and ids that were given out between the restored table's time and the loss are not known, and must not be
 * given out again: a client's old ETag would match other values, and an old id would name another item. So what is put
 * back continues above all of them. DynamoDB writes a record at most 1,000 times a second, so there is a bound.
 */
const writesPerMillisecond = 1;

/**
 * A number that was not reached since.
 * @param last the number at that time
 * @param elapsed milliseconds since that time
 * @param each how many are given out with one write
 */
export const numberBeyond = (last: number, elapsed: number, each = 1): number =>
  last + Math.max(1, Math.ceil(elapsed) * writesPerMillisecond) * each;
