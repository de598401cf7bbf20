import { describe, expect, it } from 'vitest';
import { headerValues } from '../../../lib/http/headers.ts';

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
    ['null', { headers: null, multiValueHeaders: null }, []],
  ])('are found with %s', (_case, event, values) => {
    expect(headerValues(event, 'if-match')).toEqual(values);
  });

  it.each([
    { headers: { 'if-match': 12 } },
    { headers: { 'if-match': null } },
    { headers: { 'if-match': {} } },
    { headers: { 'if-match': [1] } },
    { headers: ['if-match'] },
    { headers: 'if-match', multiValueHeaders: 5 },
    { multiValueHeaders: { 'if-match': [1, null, {}] } },
    { multiValueHeaders: { 'if-match': { 0: 'a' } } },
  ])('are only strings: none in %j', (event) => {
    expect(headerValues(event as Parameters<typeof headerValues>[0], 'if-match')).toEqual([]);
  });
});
