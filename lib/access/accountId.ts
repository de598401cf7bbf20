/** Account ids are part of table keys, so they must not contain the separator `#`. */
export const accountId = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const accountIdRule = 'must be 1 to 63 lower-case letters, digits and hyphens';

/** The account that only the heartbeat uses. */
export const heartbeatAccount = 'heartbeat';
