import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type ApiRequest, bearer, create, get, list, update } from '../support/api/apiRequests.ts';
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

const created = await api.send(create({ name: 'Table', description: 'x'.repeat(20_000) }));
const long = created.headers['location'] ?? '';

describe('a response', () => {
  const ask = async (method: string, path: string, coding: string, token = api.tokens.editor) => {
    const headers = { ...bearer(token), 'accept-encoding': coding, 'content-type': 'application/json' };
    // `fetch` decompresses the body, and keeps the headers as they were sent.
    const response = await fetch(api.url + path, { method, headers });
    const [sent, length] = ['content-encoding', 'content-length'].map((name) => response.headers.get(name));
    return { status: response.status, coding: sent, length: Number(length), text: await response.text() };
  };

  it.each(['gzip', 'deflate'])('of 1 KiB or more is compressed in %s if the request prefers it', async (coding) => {
    for (const path of [long, list().path]) {
      const plain = await ask('GET', path, 'identity');
      expect(plain).toMatchObject({ status: 200, coding: null, length: Buffer.byteLength(plain.text) });
      const packed = await ask('GET', path, coding);
      expect(packed).toEqual({ status: 200, coding, length: expect.any(Number), text: plain.text });
      expect(packed.length).toBeLessThan(plain.length / 10);
    }
  });

  it('to HEAD has the headers of the compressed one', async () => {
    expect(await ask('HEAD', long, 'gzip')).toEqual({ ...(await ask('GET', long, 'gzip')), text: '' });
  });

  it('that is smaller, a preflight and the errors of the gateway are not compressed', async () => {
    const responses = [
      await ask('GET', get(item).path, 'gzip'),
      await ask('OPTIONS', long, 'gzip'),
      await ask('PATCH', long, 'gzip'),
      await ask('GET', '/nothing', 'gzip'),
      await ask('GET', long, 'gzip', 'none'),
    ];
    expect(responses.map(({ status, coding }) => [status, coding])).toEqual(
      [200, 204, 405, 404, 401].map((status) => [status, null]),
    );
  });
});
