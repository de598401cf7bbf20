import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { pathId } from '../../../lib/http/pathId.ts';

const idOf = (pathParameters: unknown): number => pathId({ pathParameters } as APIGatewayProxyEvent, 'ITEM_NOT_FOUND');

const notFound = expect.objectContaining({ code: 'ITEM_NOT_FOUND' });

describe('the id in the path', () => {
  it.each([
    ['1', 1],
    ['42', 42],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('%s is the id %i', (text, id) => {
    expect(idOf({ id: text })).toBe(id);
  });

  it.each(
    [
      ...['abc', '', '0', '00', '-1', '+1', '1.5', '1.0', '1e3', '01', '0x1', '9007199254740992', '9007199254740993'],
      ...['10000000000000000', '9'.repeat(400), '\0', '1\0', '1\n', '1 ', ' 1', '%00', '1%20', '__proto__', '١', '1,2'],
      ...[null, undefined, [], {}, { toString: null }, false],
    ].map((id) => [id]),
  )('%j cannot be the id of an item', (id) => {
    expect(() => idOf({ id })).toThrow(notFound);
  });

  it.each([null, undefined, {}, 'x'])('missing from %j cannot be the id of an item', (pathParameters) => {
    expect(() => idOf(pathParameters)).toThrow(notFound);
  });
});
