// The languages of the page, by their codes.
export { en } from './en.ts';
export { pt } from './pt.ts';
