export { type Amount, readAmount } from '../sheet/readAmount.ts';
