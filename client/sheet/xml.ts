/** Reads XML in one pass, whatever it is: each character is read once. */

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

/** Parts that are no tags, by how they begin and end. */
const others = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

/** @throws Error if elements are not closed in order */
export function* tagsIn(xml: string): Generator<XmlTag, void> {
  const open: string[] = [];
  let text = '';
  let at = 0;
  for (let start = xml.indexOf('<'); start !== -1; start = xml.indexOf('<', at)) {
    text += decoded(xml.slice(at, start));
    const other = others.find(([begin]) => xml.startsWith(begin, start));
    if (other !== undefined) {
      const [begin, end] = other;
      const close = placeOf(end, xml, start);
      if (begin === '<![CDATA[') text += xml.slice(start + begin.length, close);
      at = close + end.length;
      continue;
    }
    const end = tagEnd(xml, start);
    const isEnd = xml[start + 1] === '/';
    const isEmpty = xml[end - 1] === '/';
    const inner = xml.slice(start + (isEnd ? 2 : 1), isEmpty ? end - 1 : end);
    const [written = ''] = /^[^\s/]+/.exec(inner) ?? [];
    const name = withoutPrefix(written);
    if (isEnd && open.pop() !== name) throw new Error(`The element ${name} is not open`);
    yield {
      name,
      parent: open.at(-1),
      isOpening: !isEnd,
      isClosing: isEnd || isEmpty,
      attributes: inner.slice(written.length),
      text,
    };
    if (!isEnd && !isEmpty) open.push(name);
    text = '';
    at = end + 1;
  }
  if (open.length > 0) throw new Error(`The element ${open.join('/')} is not closed`);
}

/** The values of a tag's attributes by their names without prefixes. */
export function attributesOf({ attributes }: XmlTag): Map<string, string> {
  const values = new Map<string, string>();
  let at = 0;
  for (let equals = attributes.indexOf('='); equals !== -1; equals = attributes.indexOf('=', at)) {
    quote.lastIndex = equals + 1;
    const [sign] = quote.exec(attributes)?.slice(1) ?? [];
    if (sign === undefined) throw new Error(`A value has no quotes: ${attributes}`);
    const opening = quote.lastIndex - 1;
    const closing = placeOf(sign, attributes, opening + 1);
    const name = withoutPrefix(attributes.slice(at, equals).trim());
    values.set(name, decoded(attributes.slice(opening + 1, closing)));
    at = closing + 1;
  }
  return values;
}

const quote = /\s*(["'])/y;

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

function placeOf(text: string, xml: string, from: number): number {
  const place = xml.indexOf(text, from);
  if (place === -1) throw new Error(`There is no ${text}`);
  return place;
}

/** The end of a tag. Values of attributes may have the sign, too. */
function tagEnd(xml: string, start: number): number {
  let at = start;
  while (at < xml.length && xml[at] !== '>') {
    const sign = xml[at] ?? '';
    at = sign === '"' || sign === "'" ? placeOf(sign, xml, at + 1) + 1 : at + 1;
  }
  return placeOf('>', xml, at);
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#x[\da-f]{1,6}|#\d{1,7}|\w{1,4});/gi, (written, code: string) => {
    if (!code.startsWith('#')) return entities[code] ?? written;
    return String.fromCodePoint(Number(`0${code.slice(1)}`));
  });
}
