import * as z from 'zod';
import { documentSchema } from './accountDocument.ts';

/** The JSON Schema of account documents. Apart from their reader, because this half of Zod is large. */
export const accountSchema = (): object => ({
  title: 'The configuration of a catalog account',
  ...z.toJSONSchema(documentSchema, { io: 'input' }),
});
