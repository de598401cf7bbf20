export { type FindOptions, ItemSearch, type SearchOptions } from '../items/itemSearch.ts';
