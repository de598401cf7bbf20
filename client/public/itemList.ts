export { ItemList, type ItemListState, type ItemsWanted } from '../items/itemList.ts';
