import type { APIGatewayProxyEvent } from 'aws-lambda';
import { CatalogError } from '../item/errors.ts';
import { isObject, type JsonObject } from '../item/json.ts';
import { limits } from '../item/limits.ts';
import { headerValues } from './headers.ts';
import { reads } from './requestParts.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `ignoreBOM` keeps a byte order mark in the text, so that JSON parsing rejects it. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const jsonBody = () => reads((event) => ({ body: parseJsonBody(event) }));

/**
 * Parses the request body, after its media type and its size are checked. An empty one becomes an empty object.
 * @throws CatalogError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON` if it is not a JSON object
 */
export function parseJsonBody(event: APIGatewayProxyEvent): JsonObject {
  const body: unknown = event.body ?? '';
  if (typeof body !== 'string') throw new CatalogError('INVALID_JSON');
  checkMediaType(headerValues(event, 'content-type'), body === '');
  checkContentEncoding(headerValues(event, 'content-encoding'));
  const size = Buffer.byteLength(body, event.isBase64Encoded ? 'base64' : 'utf8');
  if (size > limits.body) throw new CatalogError('PAYLOAD_TOO_LARGE');
  return body === '' ? {} : parse(body, event.isBase64Encoded);
}

function checkMediaType(sent: readonly string[], isEmpty: boolean): void {
  if (isEmpty && sent.length === 0) return;
  if (sent.length !== 1 || !isUtf8Json(sent[0] ?? '')) throw new CatalogError('UNSUPPORTED_MEDIA_TYPE');
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const quotedString = String.raw`"(?:[^"\\]|\\.)*"`;
const parameter = String.raw`(${token})[ \t]*=[ \t]*(${token}|${quotedString})`;

/** RFC 9110 sections 8.3.1 and 5.6.6: any number of parameters, any of which may be empty. */
const json = new RegExp(String.raw`^application/json[ \t]*(?:;[ \t]*(?:${parameter}[ \t]*)?)*$`, 'i');
const parameters = new RegExp(parameter, 'g');

/** UTF-8 is assumed unless `charset` says otherwise. Other parameters, such as `profile`, are ignored. */
const isUtf8Json = (mediaType: string): boolean =>
  json.test(mediaType) &&
  [...mediaType.matchAll(parameters)].every(
    ([, name, value]) => name?.toLowerCase() !== 'charset' || /^(?:utf-8|"utf-8")$/i.test(value ?? ''),
  );

/** The gateway unpacks a body in one of these codings before it invokes the function, and leaves the header as it is. */
const unpackedCodings = ['identity', 'gzip', 'deflate'];

/** Without this check, a body in another coding would be reported as invalid JSON. */
function checkContentEncoding(sent: readonly string[]): void {
  if (!sent.every((coding) => unpackedCodings.includes(coding.trim().toLowerCase())))
    throw new CatalogError('UNSUPPORTED_MEDIA_TYPE');
}

function parse(body: string, isBase64Encoded: boolean): JsonObject {
  try {
    const value: unknown = JSON.parse(isBase64Encoded ? decode(body) : body);
    if (isObject(value)) return value as JsonObject;
  } catch {
    // Refused like JSON that is no object.
  }
  throw new CatalogError('INVALID_JSON');
}

/** The gateway sends JSON bodies base64-encoded, so that invalid UTF-8 is detected here instead of being replaced. */
function decode(body: string): string {
  if (!base64.test(body)) throw new Error('The body is not base64');
  return utf8.decode(Buffer.from(body, 'base64'));
}
