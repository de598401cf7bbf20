export { ConflictError, type Edit, type Saved, saveItem } from '../items/saveItem.ts';
