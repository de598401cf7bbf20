export type { CategoryOptions } from '../items/configureCatalog.ts';
export { createCategory, createUnit, updateCategory, updateDefaults } from '../items/configureCatalog.ts';
