import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { unpack } from '../../../local/gateway/contentCoding.ts';
import { GatewayError } from '../../../local/gateway/gatewayResponse.ts';
import { sampleGateway } from './sampleGateway.ts';

const megabyte = 1024 * 1024;
const shown = async (response: Response) => [
  response.status,
  response.headers.get('content-type'),
  await response.text(),
];

/** Status and body of a response as it came over the wire. */
const parsed = (response: string) => {
  const [head = '', ...body] = response.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') };
};

test('headers of 10,240 bytes with their separators and line ends are served, and more get 431', async () => {
  const { sendRaw } = await sampleGateway();
  const ask = async (bytes: number) => {
    const own = 'host: x\r\nconnection: close\r\n';
    const filled = `a: ${'b'.repeat(bytes - own.length - 'a: \r\n'.length)}\r\n`;
    return parsed(await sendRaw(`POST /open HTTP/1.1\r\n${own}${filled}\r\n`));
  };
  expect((await ask(10_240)).status).toBe(200);
  expect(await ask(10_241)).toMatchObject({ status: 431, body: 'HTTP header is larger than 10240 bytes.' });
});

describe('a body', () => {
  const requestTooLong = [413, 'application/json', '{"message":"Request Too Long"}'];

  test('is passed on if its base64 and the rest of the event fit in 6 MB, and otherwise gets 413', async () => {
    const work = vi.fn((_event: { body: string | null }) => ({}));
    const { send } = await sampleGateway({ work });
    const sent = 4.49 * megabyte;
    expect((await send('POST', '/open', { body: Buffer.alloc(sent) })).status).toBe(200);
    expect(work.mock.calls[0]?.[0].body).toHaveLength(Math.ceil(Math.floor(sent) / 3) * 4);
    expect(await shown(await send('POST', '/open', { body: Buffer.alloc(4.5 * megabyte) }))).toEqual(requestTooLong);
    // An authorizer's refusal comes first.
    const asText = { headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(6 * megabyte) };
    expect((await send('PUT', '/things/1', asText)).status).toBe(401);
    expect(await shown(await send('POST', '/open', asText))).toEqual(requestTooLong);
    const packed = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(10 * megabyte + 1)) };
    // It is not even unpacked, so that nobody who is refused anyway makes the gateway do it.
    for (const [method, path] of [
      ['POST', '/open'],
      ['PUT', '/things/1'],
    ] as const)
      expect(await shown(await send(method, path, packed))).toEqual(requestTooLong);
    expect(work).toHaveBeenCalledOnce();
  });

  test.each([
    ['by its length', { body: Buffer.alloc(10 * megabyte + 1) }],
    ['by what arrives', { body: new Blob([Buffer.alloc(10 * megabyte + 1)]).stream(), duplex: 'half' as const }],
  ])('of more gets 413, detected %s', async (_, init) => {
    const work = vi.fn();
    const response = await (await sampleGateway({ work })).send('POST', '/open', init);
    expect(await shown(response)).toEqual([413, 'text; charset=utf-8', 'HTTP content length exceeded 10485760 bytes.']);
    expect(work).not.toHaveBeenCalled();
  });
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
])('a small body in %s may unpack to no more than the limit', (coding, pack) => {
  expect(unpack(pack(Buffer.alloc(100_000)), 100_000, coding)).toHaveLength(100_000);
  const tooLarge = pack(Buffer.alloc(100_001));
  expect(tooLarge.length).toBeLessThan(1_000);
  expect(() => unpack(tooLarge, 100_000, coding)).toThrow(new GatewayError('REQUEST_TOO_LARGE'));
});
