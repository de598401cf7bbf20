export { type Conflict, type Saved, saveItem } from '../items/saveItem.ts';
