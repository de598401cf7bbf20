export { type Amount, readAmount } from '../../portable/readAmount.ts';
