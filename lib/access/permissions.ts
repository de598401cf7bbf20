/** What a token can permit (spec 5): writes need to edit the catalog; seeing what an item costs is separate. Reading needs neither. */
export const permissions = ['catalog:edit', 'catalog:cost:read'] as const;

export type Permission = (typeof permissions)[number];
