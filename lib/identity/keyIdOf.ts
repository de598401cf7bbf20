import { decomposeUnverifiedJwt } from 'aws-jwt-verify/jwt';
import { supportedSignatureAlgorithms } from 'aws-jwt-verify/jwt-verifier';

/** The longest token that is read, in characters; API Gateway takes 10,240 bytes of headers in all. */
const lengthLimit = 8 * 1024;

/** The compact form (RFC 7515, section 7.1): base64url without padding. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The media types of an access token (RFC 9068, section 2.1) and of any JWT; other kinds of JWT name their own. */
const types = ['jwt', 'at+jwt', 'application/at+jwt'];

/**
 * The id of the key that a token names, if the token could be an access token of the issuer. Everything that needs no key
 * is checked here, so that a token of any other kind costs no request.
 * @returns undefined when it could not
 */
export function keyIdOf(token: string, issuer: string): string | undefined {
  if (token.length > lengthLimit || !compactForm.test(token)) return undefined;
  try {
    const { header, payload } = decomposeUnverifiedJwt(token);
    const { alg, crit, kid, typ = 'JWT' } = header;
    const isSigned = supportedSignatureAlgorithms.some((algorithm) => algorithm === alg);
    const isAccessToken = typeof typ === 'string' && types.includes(typ.toLowerCase());
    // An extension that must be understood (RFC 7515, section 4.1.11): we understand none.
    return isSigned && isAccessToken && crit === undefined && payload.iss === issuer ? kid : undefined;
  } catch {
    return undefined;
  }
}
