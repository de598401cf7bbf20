/**
 * The permissions of a token (spec 5). Writes need `catalog:edit`; seeing `cost` needs `catalog:cost:read`; reading
 * needs neither.
 */
export const permissions = ['catalog:edit', 'catalog:cost:read'] as const;

export type Permission = (typeof permissions)[number];
