export { type Change, followChanges, latestCursor, listItemChanges, startOfCopy } from '../items/followChanges.ts';
export { type RecentChanges, recentChanges } from '../items/recentChanges.ts';
