/** What a token can permit (spec 5): both operations need to edit the catalog; seeing what an item costs is separate. */
export const permissions = ['catalog:edit', 'catalog:cost:read'] as const;

export type Permission = (typeof permissions)[number];
