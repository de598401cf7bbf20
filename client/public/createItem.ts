export { type CreateOptions, createItem, forgetCreates, resumeCreate } from '../items/createItem.ts';
