import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { unpack } from '../../../local/gateway/contentCoding.ts';
import { GatewayError } from '../../../local/gateway/gatewayError.ts';

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
])('a small body in %s may unpack to no more than the limit', (coding, pack) => {
  expect(unpack(pack(Buffer.alloc(100_000)), 100_000, coding)).toHaveLength(100_000);
  const tooLarge = pack(Buffer.alloc(100_001));
  expect(tooLarge.length).toBeLessThan(1_000);
  expect(() => unpack(tooLarge, 100_000, coding)).toThrow(new GatewayError('REQUEST_TOO_LARGE'));
});
