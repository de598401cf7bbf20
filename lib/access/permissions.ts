/**
 * The permissions of a token (spec 5). Writing items needs `catalog:edit`; seeing `cost` needs `catalog:cost:read`;
 * changing categories, units and defaults needs `catalog:admin`; reading needs none.
 */
export const permissions = ['catalog:edit', 'catalog:cost:read', 'catalog:admin'] as const;

export type Permission = (typeof permissions)[number];
