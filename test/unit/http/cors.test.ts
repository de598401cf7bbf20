import { describe, expect, it } from 'vitest';
import { corsHeaders } from '../../../lib/http/headers.ts';

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

  it.each([undefined, '', 'null', 'https://shop.example.evil', 'http://shop.example', 'HTTPS://SHOP.EXAMPLE', '*'])(
    'may not read responses from %j, and caches vary by origin',
    (origin) => {
      expect(corsHeaders([shop], origin)).toEqual({ vary: 'origin' });
    },
  );
});
