export { createCategory, createUnit, updateCategory, updateDefaults } from '../items/configureCatalog.ts';
