export { ifMatch, type ListQuery, listItems, loadItem, loadItems, loadPage } from '../items/readItems.ts';
