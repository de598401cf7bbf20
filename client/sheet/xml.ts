/** Reads XML in one pass, whatever it is: each part begins where the one before it ends. */

export interface XmlTag {
  /** Without a prefix. */
  readonly name: string;
  /** The element around it; undefined: none. */
  readonly parent: string | undefined;
  /** An empty element opens and closes. */
  readonly isOpening: boolean;
  readonly isClosing: boolean;
  /** As they are written. */
  readonly attributes: string;
  /** The text since the tag before. */
  readonly text: string;
}

const prefix = String.raw`(?:[^\s/>=:]+:)?`;
const value = `"[^"]*"|'[^']*'`;
const tag = String.raw`<(?![!?])(?<slash>/?)${prefix}(?<name>[^\s/>:]+)(?<attributes>(?:[^"'>]|${value})*?)(?<emptySlash>/?)>`;
const data = String.raw`<!\[CDATA\[(?<data>[^]*?)\]\]>`;
const comment = '<!--[^]*?-->';
const declaration = String.raw`<\?[^]*?\?>|<!(?!--|\[)[^>]*>`;
const part = new RegExp(`(?<text>[^<]*)(?:${tag}|${data}|${comment}|${declaration})`, 'gy');
const attribute = new RegExp(String.raw`\s*${prefix}([^\s=:]+)\s*=\s*(${value})`, 'gy');

/** @throws Error if a part or an element is not closed, or elements are not closed in order */
export function* tagsIn(xml: string): Generator<XmlTag, void> {
  const open: string[] = [];
  let text = '';
  let end = 0;
  for (const { 0: read, groups = {} } of xml.matchAll(part)) {
    const { name, attributes = '' } = groups;
    end += read.length;
    text += decoded(groups['text'] ?? '') + (groups['data'] ?? '');
    if (name === undefined) continue;
    const isEnd = groups['slash'] !== '';
    const isEmpty = groups['emptySlash'] !== '';
    if (isEnd && open.pop() !== name) throw new Error(`The element ${name} is not open`);
    yield { name, parent: open.at(-1), isOpening: !isEnd, isClosing: isEnd || isEmpty, attributes, text };
    if (!isEnd && !isEmpty) open.push(name);
    text = '';
  }
  if (open.length > 0 || xml.includes('<', end)) throw new Error(`The XML goes wrong at ${end}`);
}

/** The values of a tag's attributes by their names without prefixes. */
export const attributesOf = ({ attributes }: XmlTag): Map<string, string> =>
  new Map(
    Array.from(attributes.matchAll(attribute), ([, name = '', quoted = '']) => [name, decoded(quoted.slice(1, -1))]),
  );

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#x[\da-f]{1,6}|#\d{1,7}|\w{1,4});/gi, (written, code: string) => {
    if (!code.startsWith('#')) return entities[code] ?? written;
    return String.fromCodePoint(Number(`0${code.slice(1)}`));
  });
}
