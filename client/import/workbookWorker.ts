/*! With fflate (c) 2026 Arjun Barrett, under the MIT License: https://opensource.org/license/mit */
// Only loaded for an .xlsx file.

import { readWorkbook } from '../sheet/workbook.ts';
import { answerSheets } from './answerSheets.ts';

answerSheets((bytes) => readWorkbook(new Uint8Array(bytes)));
