export {
  type ListQuery,
  type LoadedItem,
  listItems,
  loadedItem,
  loadItem,
  loadItems,
  loadPage,
  searchItems,
} from '../items/readItems.ts';
