import type { ApiRequest } from '../support/apiRequests.ts';
import { create, update } from '../support/apiRequests.ts';
import type { Refusal } from '../support/refusals.ts';
import type { RefusedCase, Target } from './refusedCase.ts';

type Authorization = string | readonly string[] | undefined;

const unauthorized: Refusal = { status: 401, code: 'UNAUTHORIZED' };
const forbidden: Refusal = { status: 403, code: 'FORBIDDEN' };

const callers: readonly [title: string, (tokens: Target['tokens']) => Authorization, Refusal][] = [
  ['no Authorization', () => undefined, unauthorized],
  ['an empty Authorization', () => '', unauthorized],
  ['a bare Bearer', () => 'Bearer', unauthorized],
  ['Basic credentials', () => 'Basic ZWRpdG9yOnNlY3JldA==', unauthorized],
  ['a token without a scheme', ({ editor }) => editor, unauthorized],
  ['a token of another scheme', ({ editor }) => `Token ${editor}`, unauthorized],
  ['two tokens in one header', ({ editor }) => `Bearer ${editor} ${editor}`, unauthorized],
  ['a token whose checksum is wrong', ({ wrongChecksum }) => `Bearer ${wrongChecksum}`, unauthorized],
  ['a token in another case', ({ editor }) => `Bearer ${editor.toLowerCase()}`, unauthorized],
  ['an unknown token', ({ unknown }) => `Bearer ${unknown}`, unauthorized],
  ['a revoked token', ({ revoked }) => `Bearer ${revoked}`, unauthorized],
  ['an expired token', ({ expired }) => `Bearer ${expired}`, unauthorized],
  ['the same Authorization twice', ({ editor }) => [`Bearer ${editor}`, `Bearer ${editor}`], unauthorized],
  ['a good and a bad Authorization', ({ editor }) => [`Bearer ${editor}`, 'Bearer cat_x'], unauthorized],
  ['a bad and a good Authorization', ({ editor }) => ['Bearer cat_x', `Bearer ${editor}`], unauthorized],
  ['a token without catalog:edit', ({ reader }) => `Bearer ${reader}`, forbidden],
];

const operations: readonly [string, (target: Target, authorization: Authorization) => ApiRequest][] = [
  ['create', (_, authorization) => create({ name: 'Chair' }, { authorization })],
  ['update', ({ item }, authorization) => update(item, { name: 'Chair' }, { authorization })],
];

/** Who may not call, whatever is asked. */
export const refusedCallers: readonly RefusedCase[] = [
  ...operations.flatMap(([operation, request]) =>
    callers.map(([title, authorization, refusal]) => ({
      ...refusal,
      title: `${operation} with ${title}`,
      request: (target: Target) => request(target, authorization(target.tokens)),
    })),
  ),
  {
    title: 'a permission that the caller claims',
    request: ({ tokens }) =>
      create(
        { name: 'Chair' },
        { authorization: `Bearer ${tokens.reader}`, 'x-permissions': 'catalog:edit', 'x-user-id': 'editor' },
      ),
    ...forbidden,
  },
];
