/** Reads `.xlsx` files. Only this file brings libraries for it. */
import { unzipSync, Zip, ZipPassThrough } from 'fflate';
import readExcelFile from 'read-excel-file/universal';
import { UnreadableFile } from './notices.ts';
import type { WorkbookSheet } from './sheetForm.ts';
import { uncalculated } from './thirdPartyCells.ts';

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
    const xml = withAddresses(textOf(part));
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

/**
 * The XML parts of an archive, each of which gets as much memory as the archive says. One that is longer is cut off.
 * @throws UnreadableFile
 */
function unpack(bytes: Bytes): Parts {
  let left = maxUnpacked;
  const parts = unzipSync(bytes, {
    filter: ({ name, size, originalSize }) => {
      if (!/\.(xml|rels)$/.test(name)) return false;
      left -= Math.max(size, originalSize);
      if (left < 0) throw tooLarge();
      return true;
    },
  }) as Parts;
  if (!Object.values(parts).every((part) => textOf(part).trimEnd().endsWith('>'))) throw notWorkbook();
  return parts;
}

/** An archive without compression, which the library takes apart without workers of its own. */
function archiveOf(parts: Parts): Blob {
  const chunks: Bytes[] = [];
  const zip = new Zip((_, chunk) => void chunks.push(chunk as Bytes));
  for (const [path, part] of Object.entries(parts)) {
    const file = new ZipPassThrough(path);
    zip.add(file);
    file.push(part, true);
  }
  zip.end();
  return new Blob(chunks);
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

/** Power BI and others write no addresses: then a row is below the one before it, and a cell beside it. */
function withAddresses(xml: string): string {
  if (!/<(?:\w+:)?(?:row|c)(?=[\s/>])(?![^>]*\sr=)/.test(xml)) return xml;
  let [line, at] = [0, 0];
  return xml.replaceAll(/<(?:\w+:)?(row|c)\b[^>]*?(?=\/?>)/g, (tag, kind) => {
    const [address, letters = '', digits] = /^([A-Z]*)(\d+)$/.exec(attribute(tag, 'r') ?? '') ?? [];
    if (kind === 'row') [line, at] = [Number(digits ?? line + 1), 0];
    else at = address === undefined ? at + 1 : placeOf(letters) + 1;
    return address === undefined ? `${tag} r="${kind === 'row' ? '' : lettersOf(at)}${line}"` : tag;
  });
}

/** Of the column with a number, counted from 1. */
const lettersOf = (number: number): string =>
  number === 0 ? '' : lettersOf(Math.floor((number - 1) / 26)) + String.fromCharCode(65 + ((number - 1) % 26));

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
    const [, from = '', first, last] = /^([A-Z]+)(\d+):[A-Z]+(\d+)$/.exec(attribute(tag, 'ref') ?? '') ?? [];
    return first === last ? [] : [{ at: placeOf(from), from: Number(first), to: Number(last) }];
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
