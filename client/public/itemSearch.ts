export { ItemSearch, type SearchOptions } from '../items/itemSearch.ts';
