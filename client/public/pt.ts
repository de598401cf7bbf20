export { pt } from '../texts/pt.ts';
