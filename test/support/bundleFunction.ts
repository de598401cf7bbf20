import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { alias, bundling, supported } from '../../infra/constructs/bundling.ts';

/**
 * Bundles a function as the stack does.
 * @param id the name of its file in functions/
 * @param outfile where the bundle is written
 */
export const bundleFunction = (id: string, outfile: string): Promise<Metafile> =>
  bundleEntry(fileURLToPath(new URL(`../../functions/${id}.ts`, import.meta.url)), outfile);

/**
 * Bundles any program with the functions' options.
 * @param entry its file
 * @param outfile where the bundle is written
 * @param instead options that override the functions'
 */
export async function bundleEntry(
  entry: string,
  outfile: string,
  instead: Pick<BuildOptions, 'alias' | 'define' | 'external'> = {},
): Promise<Metafile> {
  const { minify, sourceMap, sourcesContent, mainFields, target, format, externalModules: external } = bundling;
  const options = { minify, sourcemap: sourceMap, sourcesContent, mainFields, target, format, external, alias };
  const fixed = { bundle: true, platform: 'node', metafile: true, outfile, entryPoints: [entry], supported };
  const { metafile } = await build({ ...options, ...fixed, ...instead } as BuildOptions & { metafile: true });
  return metafile;
}
