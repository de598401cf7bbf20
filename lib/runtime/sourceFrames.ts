import { readFileSync } from 'node:fs';
import type { SourceMap } from 'node:module';

/** A frame of a stack: what is called, if that has a name, and the file, line and column. */
const frameForm = /^at (?:(.*) \()?(?:file:\/\/)?(\/[^()]+):(\d+):(\d+)\)?$/;

/** The maps that were read, by file; undefined for a file without one. */
const maps = new Map<string, SourceMap | undefined>();

/**
 * A frame of a bundle as the file, line and column of its source. The map beside the bundle is read at the first failure,
 * because `--enable-source-maps` would cost every start of a function about 13 ms.
 * @param frame a line of a stack, without blanks before it
 * @returns the frame as it is when it is not of a bundle with a map
 */
export function sourceFrame(frame: string): string {
  const [, called, file = '', line, column] = frameForm.exec(frame) ?? [];
  const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
  if (origin === undefined || !('fileName' in origin)) return frame;
  const place = `${fromRoot(origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  const name = origin.name ?? called;
  return name === undefined ? `at ${place}` : `at ${name} (${place})`;
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    const { SourceMap } = process.getBuiltinModule('node:module');
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}

/** The map names sources relative to where the bundle was made. */
const fromRoot = (source: string): string => source.replace(/^(?:\.\.\/)+/, '');
