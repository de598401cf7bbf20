import { readFileSync } from 'node:fs';
import type { SourceMap } from 'node:module';

/** A stack frame: the function, if it has a name, then the file, line and column. */
const frameForm = /^at (?:.* \()?(?:file:\/\/)?(\/[^()]+):(\d+):(\d+)\)?$/;

/** Source maps by file, once read; undefined for a file without one. */
const maps = new Map<string, SourceMap | undefined>();

/**
 * Maps a stack frame of a bundle, without leading white space, to the file, line and column of its source, if there is a
 * source map. That is read on the first failure, because `--enable-source-maps` would add about 13 ms to every cold
 * start. A bundle has no useful names.
 */
export function sourceFrame(frame: string): string {
  const [, file = '', line, column] = frameForm.exec(frame) ?? [];
  const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
  if (origin === undefined || !('fileName' in origin)) return frame;
  return `at ${fromRoot(origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
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

/** The map's source paths are relative to the folder where the bundle was built. */
const fromRoot = (source: string): string => source.replace(/^(?:\.\.\/)+/, '');
