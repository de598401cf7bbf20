/**
 * The format of access tokens: `cat_`, by which secret scanners find a leaked one, 30 random base62 characters
 * (178.6 bits), and a 6-character checksum, by which a mistyped one is refused without reading the database.
 */
import { createHash, randomInt } from 'node:crypto';

const prefix = 'cat_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;
const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** CRC-32, as in `node:zlib`. Loading that would be a tenth of the authorizer's start. */
function crc32(text: string): number {
  let crc = ~0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Creates a new token. @param random returns an unpredictable integer from 0 up to but not including its argument */
export function createToken(random: (below: number) => number = randomInt): string {
  const characters = Array.from({ length: randomLength }, () => alphabet.charAt(random(alphabet.length)));
  const body = prefix + characters.join('');
  return body + checksum(body);
}

/** Whether a text has the format and checksum of a token. The token may still be unknown, expired or revoked. */
export const isWellFormedToken = (text: string): boolean =>
  pattern.test(text) && text.slice(-checksumLength) === checksum(text.slice(0, -checksumLength));

/** The hexadecimal SHA-256 of a token, under which it is stored. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex');
