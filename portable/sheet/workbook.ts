/** Reads `.xlsx` files. Only this file brings libraries for it. */
import { Inflate } from 'fflate';
import readExcelFile from 'read-excel-file/universal';
import { UnreadableFile } from './notices.ts';
import { uncalculated } from './plainCells.ts';
import type { WorkbookSheet } from './sheetForm.ts';

/** The parts of a workbook that are read may have so many bytes together. */
const maxUnpacked = 50 * 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;
type Parts = Record<string, Bytes>;

/**
 * The sheets of a workbook that have cells, not charts.
 * @throws UnreadableFile if it is none, or is too large
 */
export async function readWorkbook(bytes: Bytes): Promise<WorkbookSheet[]> {
  let parts: Parts;
  try {
    parts = unpack(bytes);
  } catch (error) {
    throw error instanceof UnreadableFile ? error : notWorkbook();
  }
  const percents = percentStyles(textOf(parts['xl/styles.xml']));
  const remarks = new Map<string, Remarks>();
  for (const [path, part] of Object.entries(parts)) {
    if (!/^xl\/worksheets\/[^/]+\.xml$/.test(path)) continue;
    const xml = textOf(part);
    remarks.set(path, remarksIn(xml, percents));
    parts[path] = new TextEncoder().encode(withErrors(xml));
  }
  const packed = archiveOf(parts);
  const sheets = await readExcelFile(packed, { trim: false }).catch(() => Promise.reject(notWorkbook()));
  const paths = sheetPaths(textOf(parts['xl/workbook.xml']), textOf(parts['xl/_rels/workbook.xml.rels']));
  // A sheet of a chart has no cells.
  return sheets.flatMap(({ sheet, data }, index): WorkbookSheet[] =>
    data === undefined ? [] : [{ sheet, data, ...remarks.get(paths[index] ?? '') }],
  );
}

const notWorkbook = () =>
  new UnreadableFile('The file cannot be read as .xlsx: save it in Excel as .xlsx or "CSV UTF-8".');

const tooLarge = () =>
  new UnreadableFile('The file has more than 50 MB when it is unpacked. Save the sheet as "CSV UTF-8".');

const textOf = (part: Bytes | undefined): string => new TextDecoder().decode(part);

/** The XML parts of an archive. What its directory says of their sizes can be wrong, so bytes are counted as they come. */
function unpack(bytes: Bytes): Parts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1;
  const parts: Parts = {};
  let left = maxUnpacked;
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
    const [nameSize, extraSize, noteSize] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const name = textOf(bytes.subarray(at + 46, at + 46 + (nameSize ?? 0)));
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = bytes.subarray(start, start + view.getUint32(at + 20, true));
    if (/\.(xml|rels)$/.test(name)) {
      const part = view.getUint16(at + 10, true) === 0 ? packed : inflate(packed, left);
      left -= part.length;
      if (left < 0) throw tooLarge();
      parts[name] = part;
    }
    at += 46 + (nameSize ?? 0) + (extraSize ?? 0) + (noteSize ?? 0);
  }
  return parts;
}

/** @param max in bytes @throws UnreadableFile */
function inflate(packed: Bytes, max: number): Bytes {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((chunk) => {
    size += chunk.length;
    if (size > max) throw tooLarge();
    chunks.push(chunk);
  });
  // A step of 16 KB can become 16 MB.
  const step = 16 * 1024;
  for (let at = 0; at < packed.length; at += step)
    stream.push(packed.subarray(at, at + step), at + step >= packed.length);
  const part = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    part.set(chunk, at);
    at += chunk.length;
  }
  return part;
}

/** An archive without compression, which the library takes. It does not look at checksums. */
function archiveOf(parts: Parts): Blob {
  const files: (DataView<ArrayBuffer> | Uint8Array<ArrayBuffer>)[] = [];
  const directory: typeof files = [];
  let [start, size] = [0, 0];
  const entries = Object.entries(parts).map(([path, part]) => ({ name: new TextEncoder().encode(path), part }));
  for (const { name, part } of entries) {
    const sizes = { 4: part.length, 8: part.length, 12: name.length };
    files.push(header(30, 0x04034b50, 14, sizes), name, part);
    directory.push(header(46, 0x02014b50, 16, { ...sizes, 26: start }), name);
    start += 30 + name.length + part.length;
    size += 46 + name.length;
  }
  const end = header(22, 0x06054b50, 8, { 0: entries.length * 0x10001, 4: size, 8: start });
  return new Blob([...files, ...directory, end]);
}

/** A header of an archive, with numbers of 4 bytes behind a place. */
function header(size: number, signature: number, place: number, numbers: Readonly<Record<number, number>>) {
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, signature, true);
  for (const [at, number] of Object.entries(numbers)) view.setUint32(place + Number(at), number, true);
  return view;
}

/** The part of each sheet, in order. */
function sheetPaths(workbook: string, relations: string): string[] {
  const targets = new Map(
    [...relations.matchAll(/<(?:\w+:)?Relationship\b[^>]*>/g)].map(([tag]) => [
      attribute(tag, 'Id'),
      attribute(tag, 'Target'),
    ]),
  );
  return [...workbook.matchAll(/<(?:\w+:)?sheet\b[^>]*>/g)].map(([tag]) => {
    const target = targets.get(attribute(tag, String.raw`\w+:id`)) ?? '';
    return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
  });
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(String.raw`\s${name}=["']([^"']*)["']`).exec(tag)?.[1];

/** Cells of errors, and formulas without results, become texts, because the library leaves both out. */
const withErrors = (xml: string): string =>
  xml
    .replaceAll(/(<(?:\w+:)?c\b[^>]*?)\st=(["'])e\2/g, '$1 t="str"')
    .replaceAll(uncalculatedCell, (_, tag: string, prefix = '') => {
      const typed = tag.replace(/\st=(["'])\w*\1/, '');
      return `${typed} t="str"><${prefix}v>${uncalculated}</${prefix}v></${prefix}c>`;
    });

/** A formula is in XML without a value, or with an empty one, unless that is the text that it gives. */
const uncalculatedCell =
  /(<(\w+:)?c\b(?![^>]*\st=["']str["'])[^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*\/>|[^>]*>[^<]*<\/(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*\/>|<(?:\w+:)?v>\s*<\/(?:\w+:)?v>)?\s*<\/(?:\w+:)?c>/g;

type Remarks = Omit<WorkbookSheet, 'sheet' | 'data'>;

/** What people see in a sheet, and its cells do not say. */
function remarksIn(xml: string, percents: ReadonlySet<string>): Remarks {
  const tags = (name: string) =>
    [...xml.matchAll(new RegExp(String.raw`<(?:\w+:)?${name}\b[^>]*>`, 'g'))].map(([tag]) => tag);
  const hidden = tags('row').filter((tag) => ['1', 'true'].includes(attribute(tag, 'hidden') ?? ''));
  const merged = tags('mergeCell').flatMap((tag) => {
    const [, from = '', first, to, last] = /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/.exec(attribute(tag, 'ref') ?? '') ?? [];
    return from === to && first !== last ? [{ at: placeOf(from), from: Number(first), to: Number(last) }] : [];
  });
  const shown = percents.size === 0 ? [] : tags('c').filter((tag) => percents.has(attribute(tag, 's') ?? ''));
  return {
    hidden: hidden.map((tag) => Number(attribute(tag, 'r'))),
    merged,
    percents: new Set(
      shown.map((tag) => {
        const [, column = '', line = ''] = /^([A-Z]+)(\d+)$/.exec(attribute(tag, 'r') ?? '') ?? [];
        return `${line}:${placeOf(column)}`;
      }),
    ),
  };
}

/** The place of a column, counted from 0: of `AA` 26. */
const placeOf = (letters: string): number =>
  [...letters].reduce((place, letter) => place * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** The styles of cells that are shown in percent. */
function percentStyles(xml: string): Set<string> {
  const formats = [...xml.matchAll(/<(?:\w+:)?numFmt\b[^>]*>/g)].map(([tag]) => tag);
  const shown = formats.filter((tag) => attribute(tag, 'formatCode')?.includes('%'));
  const percents = new Set(['9', '10', ...shown.map((tag) => attribute(tag, 'numFmtId'))]);
  const [, styles = ''] = /<(?:\w+:)?cellXfs\b([\s\S]*?)<\/(?:\w+:)?cellXfs>/.exec(xml) ?? [];
  const used = [...styles.matchAll(/<(?:\w+:)?xf\b[^>]*>/g)];
  return new Set(used.flatMap(([tag], index) => (percents.has(attribute(tag, 'numFmtId')) ? [String(index)] : [])));
}
