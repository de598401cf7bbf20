export { en } from '../texts/en.ts';
