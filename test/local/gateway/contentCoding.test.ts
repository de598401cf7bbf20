import { gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { compress } from '../../../local/gateway/contentCoding.ts';
import type { HttpResponse } from '../../../local/gateway/gatewayResponse.ts';
import { sampleGateway } from './sampleGateway.ts';

const plain: HttpResponse = { status: 200, headers: [['etag', '"1"']], body: 'x'.repeat(1000) };

describe('a response is compressed in', () => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip', 'gzip, deflate, br, zstd', gunzipSync],
    ['gzip', 'deflate;q=0.5,gzip;q=1.0', gunzipSync],
    ['gzip', ' GZIP ; Q=0.5 , *;q=0', gunzipSync],
    ['deflate', 'deflate', inflateSync],
    ['deflate', 'deflate, gzip', inflateSync],
    ['deflate', 'gzip;q=0, deflate;q=0.1', inflateSync],
  ])('%s if the request accepts %j', (coding, accepted, unpack) => {
    const { headers, body, status } = compress(plain, accepted, 1000);
    expect([status, headers]).toEqual([200, [...plain.headers, ['content-encoding', coding]]]);
    expect(unpack(body).toString()).toBe(plain.body);
  });
});

describe('a response is not compressed if', () => {
  it.each([undefined, '', '*', 'identity', 'br', 'br, gzip', 'gzip;q=0', 'gzip;q=0.5, identity', 'gzip;q=x'])(
    'the request accepts %j, and so prefers no coding that API Gateway supports',
    (accepted) => {
      expect(compress(plain, accepted, 0)).toBe(plain);
    },
  );

  it('it is smaller than the minimum, or there is none', () => {
    expect(compress(plain, 'gzip', 1001)).toBe(plain);
    expect(compress(plain, 'gzip', undefined)).toBe(plain);
  });

  it('the function has compressed it', () => {
    const own: HttpResponse = { ...plain, headers: [['Content-Encoding', 'br']] };
    expect(compress(own, 'gzip', 0)).toBe(own);
  });
});

it('a function receives an unpacked body, and still the header of the coding', async () => {
  const events: APIGatewayProxyEvent[] = [];
  const { send } = await sampleGateway({ work: (event) => ({ statusCode: 200 + events.push(event) }) });
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  await send('POST', '/open', { body: gzipSync('{"a":1}'), headers });
  expect(events[0]).toMatchObject({ isBase64Encoded: true, headers: { 'content-encoding': 'gzip' } });
  expect(Buffer.from(events[0]?.body ?? '', 'base64').toString()).toBe('{"a":1}');
});
