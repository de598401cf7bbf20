export { createItem, forgetCreate, resumeCreate } from '../items/createItem.ts';
