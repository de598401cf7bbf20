import { createHash, createHmac } from 'node:crypto';

/** A request to an AWS service as it arrived. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * The Signature Version 4 that a request without a query string must have, written from
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * @param authorization the request's own `Authorization`, for the scope and the names of the signed headers
 */
export function signatureOf(
  { method, url, headers, body }: SignedRequest,
  authorization: string,
  secret: string,
): string {
  const [, scope = '', names = ''] = /Credential=[^/]+\/([^,]+), *SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const canonicalHeaders = names.split(';').map((name) => `${name}:${headers[name]?.trim()}\n`);
  const canonicalRequest = [method, url, '', canonicalHeaders.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonicalRequest)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}
