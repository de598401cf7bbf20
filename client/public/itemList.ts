export { ItemList, type ItemListState, type ItemsQuery } from '../items/itemList.ts';
