import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { GatewayError, type HttpResponse } from './gatewayResponse.ts';

/** The content codings that API Gateway supports, besides `identity`. */
const codings = new Map([
  ['gzip', { pack: gzipSync, unpack: gunzipSync }],
  ['deflate', { pack: deflateSync, unpack: inflateSync }],
]);

/**
 * Unpacks the body of a request, as API Gateway does even for an API that does not compress responses.
 * @param limit the most bytes that the body may have once it is unpacked. Whether API Gateway's limit applies to that
 * is not documented; it is an assumption.
 * @param coding the request's `Content-Encoding`
 * @throws GatewayError if the coding is not supported, the body is not in it, or it is larger than the limit
 */
export function unpack(body: Buffer, limit: number, coding = 'identity'): Buffer {
  const name = coding.trim().toLowerCase();
  if (body.length === 0 || name === 'identity') return body;
  try {
    const { unpack: decode } = codings.get(name) ?? {};
    if (decode !== undefined) return decode(body, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new GatewayError('REQUEST_TOO_LARGE');
  }
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
}

/**
 * Compresses a response if a supported coding is the first that the request accepts. API Gateway also weighs them.
 * @param accepted the request's `Accept-Encoding`
 * @param minimum the fewest bytes that are compressed; undefined means that no response is compressed
 */
export function compress(response: HttpResponse, accepted = '', minimum = Number.POSITIVE_INFINITY): HttpResponse {
  const { headers, body } = response;
  const name = (accepted.split(',')[0] ?? '').trim().toLowerCase();
  const coding = codings.get(name);
  if (coding === undefined || Buffer.byteLength(body) < minimum) return response;
  return { ...response, headers: [...headers, ['content-encoding', name]], body: coding.pack(body) };
}
