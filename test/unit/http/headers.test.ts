import { describe, expect, it } from 'vitest';
import { corsHeaders, headerValues } from '../../../lib/http/headers.ts';

describe('the values of a request header', () => {
  it.each([
    ['one value, in both forms', { headers: { 'if-match': 'a' }, multiValueHeaders: { 'if-match': ['a'] } }, ['a']],
    [
      'all values, where headers has the last',
      { headers: { 'if-match': 'b' }, multiValueHeaders: { 'if-match': ['a', 'b'] } },
      ['a', 'b'],
    ],
    ['any case of the name', { headers: { 'IF-Match': 'a' } }, ['a']],
    ['names that differ in case only', { multiValueHeaders: { 'If-Match': ['a'], 'if-match': ['b'] } }, ['a', 'b']],
    ['headers alone', { headers: { 'if-match': 'a' }, multiValueHeaders: null }, ['a']],
    ['multi-value headers alone', { headers: null, multiValueHeaders: { 'if-match': ['a'] } }, ['a']],
    [
      'a multi-value header without a value',
      { headers: { 'if-match': 'a' }, multiValueHeaders: { 'if-match': [] } },
      ['a'],
    ],
    ['an empty value', { headers: { 'if-match': '' } }, ['']],
    ['other headers only', { headers: { 'if-match-x': 'a', if: 'b' } }, []],
    ['no headers', {}, []],
  ])('are found with %s', (_case, event, values) => {
    expect(headerValues(event, 'if-match')).toEqual(values);
  });

  it.each([
    { headers: { 'if-match': 12 } },
    { headers: { 'if-match': null } },
    { headers: { 'if-match': [1] } },
    { headers: 'if-match', multiValueHeaders: 5 },
    { multiValueHeaders: { 'if-match': [1, null, {}] } },
    { multiValueHeaders: { 'if-match': { 0: 'a' } } },
  ])('are only strings: none in %j', (event) => {
    expect(headerValues(event as Parameters<typeof headerValues>[0], 'if-match')).toEqual([]);
  });
});

const shop = 'https://shop.example';
const exposed = { 'access-control-expose-headers': 'etag,idempotency-replayed,location,retry-after,x-request-id' };

describe('a cross-origin page', () => {
  it.each([undefined, shop, 'null'])('may read responses if any origin is allowed: %s', (origin) => {
    expect(corsHeaders(['*'], origin)).toEqual({ 'access-control-allow-origin': '*', ...exposed });
  });

  it('may read responses if its origin is allowed', () => {
    expect(corsHeaders(['https://other.example', shop], shop)).toEqual({
      'access-control-allow-origin': shop,
      ...exposed,
      vary: 'origin',
    });
  });

  const evil = [undefined, '', 'null', 'https://shop.example.evil', 'http://shop.example', 'HTTPS://SHOP.EXAMPLE', '*'];
  it.each(evil)('may not read responses from %j, and caches vary by origin', (origin) => {
    expect(corsHeaders([shop], origin)).toEqual({ vary: 'origin' });
  });
});
