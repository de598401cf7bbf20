const token = "[\\w!#$%&'*+.^`|~-]+";
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const parameter = String.raw`(${token})[ \t]*=[ \t]*(${token}|${quoted})`;

/** RFC 9110 sections 8.3.1 and 5.6.6: any number of parameters, any of which may be empty. */
const json = new RegExp(String.raw`^application/json[ \t]*(?:;[ \t]*(?:${parameter}[ \t]*)?)*$`, 'i');
const parameters = new RegExp(parameter, 'g');

/**
 * Whether a media type is JSON in UTF-8. UTF-8 is assumed unless `charset` says otherwise. Other parameters, such as
 * `profile`, are ignored.
 */
export const isUtf8Json = (mediaType: string): boolean =>
  json.test(mediaType) &&
  [...mediaType.matchAll(parameters)].every(
    ([, name, value]) => name?.toLowerCase() !== 'charset' || /^(?:utf-8|"utf-8")$/i.test(value ?? ''),
  );
