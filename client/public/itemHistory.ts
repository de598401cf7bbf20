export { ItemHistory } from '../items/followChanges.ts';
