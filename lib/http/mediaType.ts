const token = "[\\w!#$%&'*+.^`|~-]+";
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const parameter = String.raw`(${token})[ \t]*=[ \t]*(${token}|${quoted})`;

/** RFC 9110 sections 8.3.1 and 5.6.6: any number of parameters, each of which may be empty. */
const json = new RegExp(String.raw`^application/json[ \t]*(?:;[ \t]*(?:${parameter}[ \t]*)?)*$`, 'i');
const parameters = new RegExp(parameter, 'g');

/**
 * Whether a media type says JSON in UTF-8, which is what it is unless a `charset` says otherwise. Other parameters, such
 * as `profile`, make no difference.
 */
export const isUtf8Json = (mediaType: string): boolean =>
  json.test(mediaType) &&
  [...mediaType.matchAll(parameters)].every(
    ([, name, value]) => name?.toLowerCase() !== 'charset' || /^(?:utf-8|"utf-8")$/i.test(value ?? ''),
  );
