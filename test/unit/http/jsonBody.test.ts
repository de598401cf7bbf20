import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../../lib/http/jsonBody.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { anyBody } from '../../support/items/arbitraries.ts';
import { gatewayEvent } from '../../support/lambda/gatewayEvent.ts';

const parse = async (event: APIGatewayProxyEvent): Promise<JsonObject> => parseJsonBody(event);

const inText = (body: string | null) => parse(gatewayEvent({ body }));
const inBase64 = (body: string | Buffer) =>
  parse(gatewayEvent({ body: Buffer.from(body).toString('base64'), isBase64Encoded: true }));
const sentAs = (type: string, body = '{}') => parse(gatewayEvent({ body, headers: { 'Content-Type': type } }));
const refusal = (code: string, message: string) => expect.objectContaining({ code, message });

const unsupported = refusal(
  'UNSUPPORTED_MEDIA_TYPE',
  'The request body must be sent as application/json in UTF-8, plain or compressed with gzip or deflate.',
);
const tooLarge = refusal('PAYLOAD_TOO_LARGE', 'The request body is larger than 256 KiB.');
const invalid = refusal('INVALID_JSON', 'The request body is not a JSON object in UTF-8.');

describe('the content encoding', () => {
  const codedAs = (coding: string) => parse(gatewayEvent({ body: '{}', headers: { 'Content-Encoding': coding } }));

  it.each(['identity', 'Identity ', 'gzip', 'deflate'])('may be %j, which the gateway has unpacked', async (coding) => {
    expect(await codedAs(coding)).toEqual({});
  });

  it.each(['br', 'zstd', '', 'identity, gzip', 'gzip, gzip'])('may not be %j, which needs decoding', async (coding) => {
    await expect(codedAs(coding)).rejects.toEqual(unsupported);
  });
});

describe('the media type', () => {
  it.each([
    'application/json',
    'application/json ;\tcharset = "utf-8" ',
    'application/json;',
    'application/json; ;charset=utf-8; ',
    'application/json; version=1',
    'application/json; profile="https://example.com/a; charset=latin1\\""; Charset=UTF-8',
    `application/json; ${'x'.repeat(4_000)}=${'y'.repeat(4_000)}`,
  ])('may be %j', async (type) => {
    expect(await sentAs(type, '{"a":1}')).toEqual({ a: 1 });
  });

  it.each([
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset="latin1"',
    'application/json; charset=xutf-8',
    'application/json; charset=utf-80',
    'application/json; profile=x; CHARSET=latin1',
    'application/json; charset=',
    'application/json; charset',
    'application/json; "a"=b',
    'application/json; a="b',
    'application/json; a=b c=d',
    'application/json charset=utf-8',
    'application/jsonp',
    'application/ld+json',
    'application/json, application/json',
    'multipart/form-data; boundary=application/json',
    `application/json;${' '.repeat(9_000)}x`,
    `application/json;${'a=b; '.repeat(2_000)}c`,
    `application/json;a="${'\\"'.repeat(4_000)}`,
  ])('may not be %j', async (type) => {
    await expect(sentAs(type)).rejects.toEqual(unsupported);
    await expect(sentAs(type, '')).rejects.toEqual(unsupported);
  });

  it('is required for a request with a body, and may not be sent twice or be anything but a string', async () => {
    const event = gatewayEvent({ body: '{}' });
    for (const values of [[], ['application/json', 'application/json'], [12], [null]])
      await expect(
        parse({ ...event, headers: {}, multiValueHeaders: { 'content-type': values as string[] } }),
      ).rejects.toEqual(unsupported);
  });
});

describe('an empty body', () => {
  it('is an empty object, with or without a media type', async () => {
    expect(await inText(null)).toEqual({});
    expect(await inText('')).toEqual({});
    expect(await inBase64('')).toEqual({});
    expect(await parse({ ...gatewayEvent(), headers: {}, multiValueHeaders: {} })).toEqual({});
  });
});

describe('the size', () => {
  const bodyOf = (bytes: number, character = 'x') => {
    const rest = bytes - '{"a":""}'.length;
    const width = Buffer.byteLength(character);
    return `{"a":"${character.repeat(Math.floor(rest / width))}${'x'.repeat(rest % width)}"}`;
  };

  it.each(['x', 'é', '😀'])('is at most 262,144 bytes, as text and in base64, here of %s', async (character) => {
    const full = bodyOf(262_144, character);
    expect(await inText(full)).toEqual(JSON.parse(full));
    expect(await inBase64(full)).toEqual(JSON.parse(full));
    for (const body of [bodyOf(262_145, character), bodyOf(262_146, character), bodyOf(300_000, character)]) {
      await expect(inText(body)).rejects.toEqual(tooLarge);
      await expect(inBase64(body)).rejects.toEqual(tooLarge);
    }
  });

  it('is checked after the media type and before the contents', async () => {
    const junk = '{'.repeat(300_000);
    await expect(sentAs('text/plain', junk)).rejects.toEqual(unsupported);
    await expect(inText(junk)).rejects.toEqual(tooLarge);
    await expect(parse(gatewayEvent({ body: '!'.repeat(400_000), isBase64Encoded: true }))).rejects.toEqual(tooLarge);
  });
});

describe('a body', () => {
  it.each([
    '{"name":"a"',
    '{"a":1,}',
    '{"a":NaN}',
    '{"a":01}',
    '{"a":"\n"}',
    '{} {}',
    ' ',
    '\ufeff{}',
    '\u00a0{}',
    '[]',
    'null',
    '"x"',
    '['.repeat(250_000),
    `${'['.repeat(125_000)}${']'.repeat(125_000)}`,
  ])('that is not a JSON object is rejected: %.20s', async (body) => {
    await expect(inText(body)).rejects.toEqual(invalid);
    await expect(inBase64(body)).rejects.toEqual(invalid);
  });

  it.each([
    [[0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]],
    [[0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    [[0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]],
    [[0x7b, 0x22, 0xe2, 0x82]],
    [[0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('that is not UTF-8 is rejected: %j', async (bytes) => {
    await expect(inBase64(Buffer.from(bytes))).rejects.toEqual(invalid);
  });

  const wrong = ['e', 'e3', 'e30', 'e30==', 'e30=e30=', 'e3-_', 'e30 =', ' e30=', 'e30=\n', '{}', '====', '!!!!', 'é'];
  it.each(wrong)('that is not base64 is rejected: %j', async (body) => {
    await expect(parse(gatewayEvent({ body, isBase64Encoded: true }))).rejects.toEqual(invalid);
  });

  it.each([5, 0, true, {}, ['{}'], { a: 1 }])('that is %j in the event is rejected', async (body) => {
    for (const isBase64Encoded of [true, false])
      await expect(parse({ ...gatewayEvent(), body: body as never, isBase64Encoded })).rejects.toEqual(invalid);
  });

  it('may have surrounding white space, a duplicate key, and __proto__ as a key', async () => {
    expect(await inText(' \t\r\n{"a":1,"a":2}\n')).toEqual({ a: 2 });
    const parsed = await inText('{"__proto__":{"a":1}}');
    expect([Object.keys(parsed), parsed['a']]).toEqual([['__proto__'], undefined]);
  });

  it('is parsed exactly as sent, as text and in base64', async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        expect(await inText(JSON.stringify(body))).toEqual(body);
        expect(await inBase64(JSON.stringify(body))).toEqual(body);
      }),
      { numRuns: 50 },
    );
  });
});
