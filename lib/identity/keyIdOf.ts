import { decomposeUnverifiedJwt } from 'aws-jwt-verify/jwt';
import { supportedSignatureAlgorithms } from 'aws-jwt-verify/jwt-verifier';

/** Maximum length of a token, in characters. API Gateway accepts 10,240 bytes of headers in total. */
const lengthLimit = 8 * 1024;

/** The compact form (RFC 7515, section 7.1): base64url without padding. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The types of an access token (RFC 9068, section 2.1) and of a generic JWT. Other kinds of JWT declare their own type.
 */
const types = ['jwt', 'at+jwt', 'application/at+jwt'];

/**
 * The id of the key that a token names as its signing key, provided that it could be an access token of the issuer.
 * Everything that can be checked without the key is checked here, so that other tokens cost no request to the provider.
 * @returns undefined if it cannot be one
 */
export function keyIdOf(token: string, issuer: string): string | undefined {
  if (token.length > lengthLimit || !compactForm.test(token)) return undefined;
  try {
    const { header, payload } = decomposeUnverifiedJwt(token);
    const { alg, crit, kid, typ = 'JWT' } = header;
    const isSigned = supportedSignatureAlgorithms.some((algorithm) => algorithm === alg);
    const isAccessToken = typeof typ === 'string' && types.includes(typ.toLowerCase());
    // `crit` lists extensions that must be understood (RFC 7515, section 4.1.11). We support none.
    return isSigned && isAccessToken && crit === undefined && payload.iss === issuer ? kid : undefined;
  } catch {
    return undefined;
  }
}
