export { ItemHistory } from '../items/itemHistory.ts';
