import { answerSheets } from './answerSheets.ts';

answerSheets((bytes) => new Uint8Array(bytes));
