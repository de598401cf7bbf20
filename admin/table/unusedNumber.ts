/**
 * Revisions and ids that were used between the restored table's time and the loss are not known, and must not be used
 * again: a client's old ETag would match other values, and an old id would name another item. So restored records
 * continue above all of them. There is an upper bound, because DynamoDB writes a record at most 1,000 times a second.
 */
const writesPerMillisecond = 1;

/**
 * A number that cannot have been reached since a time.
 * @param last the number at that time
 * @param elapsed milliseconds since that time
 * @param each how many are used by one write
 */
export const unusedNumber = (last: number, elapsed: number, each = 1): number =>
  last + Math.max(1, Math.ceil(elapsed) * writesPerMillisecond) * each;
