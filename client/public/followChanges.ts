export type { Change, RecentChanges } from '../items/followChanges.ts';
export { followChanges, latestCursor, listItemChanges, recentChanges, startOfCopy } from '../items/followChanges.ts';
