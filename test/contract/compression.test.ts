import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, it } from 'vitest';
import { type ApiRequest, create, update } from '../support/api/apiRequests.ts';
import { expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { invalidJson, type Refusal, tooLarge, unauthorized, unsupportedMediaType } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

const api = await startTestApi();
const item = expectItem(await api.send(create({ name: 'Chair' })), shownItem(), 1);
afterAll(() => api.close());

const chair = '{"name":"Chair"}';
const [gzip, deflate] = [{ 'content-encoding': 'gzip' }, { 'content-encoding': 'deflate' }];
const anonymous = { ...gzip, authorization: undefined };

describe('a compressed request body', () => {
  it.each([
    ['gzip', gzip, gzipSync],
    ['deflate', deflate, deflateSync],
  ] as const)('is accepted in %s', async (_, headers, pack) => {
    const id = expectItem(await api.send(create(pack(chair), headers)), shownItem(), 1);
    expectItem(await api.send(update(id, pack('{"value":1}'), headers)), shownItem({ value: 1 }), 2);
  });

  const description = (bytes: number) => `{"name":"Chair","description":"${'x'.repeat(bytes - 33)}"}`;
  const refused: [string, Buffer, ApiRequest['headers'], Refusal][] = [
    ['256 KiB and a byte, unpacked', gzipSync(description(256 * 1024 + 1)), gzip, tooLarge],
    ['bytes that are not compressed, and no token', Buffer.from(chair), anonymous, unsupportedMediaType],
    ['a coding that is not supported', Buffer.from(chair), { 'content-encoding': 'br' }, unsupportedMediaType],
    ['no header', gzipSync(chair), {}, invalidJson],
    ['no token', gzipSync(chair), anonymous, unauthorized],
  ];

  it.each(refused.map(([title, body, headers, refusal]) => [title, refusal.status, body, headers, refusal] as const))(
    'of %s returns %d',
    async (_title, _status, body, headers, refusal) => {
      await expectRefused(api, [create(body, headers), update(item, body, headers)], refusal);
    },
  );
});
