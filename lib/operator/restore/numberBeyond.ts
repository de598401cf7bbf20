/**
 * Revisions and ids that were given out between the restored table's time and the loss may be lost, and must never be given
 * out again: to a client, an old ETag would mean other values, and an old id another item. So what is put back goes on
 * beyond all of them. DynamoDB writes a record at most 1,000 times a second, which bounds how many there can have been.
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
