export {
  type CategoryOptions,
  createCategory,
  createUnit,
  updateCategory,
  updateDefaults,
} from '../items/configureCatalog.ts';
