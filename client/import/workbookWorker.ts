/*! With read-excel-file (c) 2018 gitlab.com/catamphetamine, fflate (c) 2026 Arjun Barrett, saxen (c) 2012 Vopilovskii Konstantin, 2017 Nico Rehwaldt, under the MIT License: https://opensource.org/license/mit */
// Only loaded for an .xlsx file. Of the library, this entry starts no workers of its own, which a page may forbid.

import { readWorkbook } from '../sheet/workbook.ts';
import { answerSheets } from './answerSheets.ts';

answerSheets((bytes) => readWorkbook(new Uint8Array(bytes)));
