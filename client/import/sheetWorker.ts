import { answerSheets } from './answerSheets.ts';

answerSheets(async (bytes) => new Uint8Array(bytes));
