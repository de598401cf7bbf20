export { type Change, followChanges, latestCursor, listItemChanges, startOfCopy } from '../items/followChanges.ts';
