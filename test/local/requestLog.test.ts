import { expect, it } from 'vitest';
import { requestLine } from '../../local/requestLog.ts';

const answered = {
  receivedAt: new Date(2026, 10, 20, 9, 5, 7).getTime(),
  method: 'PUT',
  path: '/items/1',
  response: { status: 200, headers: [], body: '{"data":{"error":{"code":"NOT_FOUND"}}}' },
  duration: 12.4,
};
const refused = (body: string) => ({ ...answered, response: { status: 409, headers: [], body } });

it.each([
  ['a success', answered, '09:05:07 PUT     /items/1 200 12 ms'],
  ['a refusal', refused('{"error":{"message":"m","code":"CONFLICT"}}'), '09:05:07 PUT     /items/1 409 CONFLICT 12 ms'],
  ['a body that is not JSON', refused('<html>'), '09:05:07 PUT     /items/1 409 without a code 12 ms'],
  ['a body in another format', refused('{"message":"m"}'), '09:05:07 PUT     /items/1 409 without a code 12 ms'],
  ['a long path', { ...answered, path: '/x'.repeat(1000) }, `09:05:07 PUT     ${'/x'.repeat(29)}/… 200 12 ms`],
])('%s is one line', (_, request, line) => {
  expect(requestLine(request)).toBe(line);
});
