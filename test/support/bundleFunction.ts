import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { alias, bundling } from '../../infra/constructs/bundling.ts';

/**
 * Bundles a function as the stack does.
 * @param id the name of its file in functions/
 * @param outfile where the bundle is written
 */
export const bundleFunction = (id: string, outfile: string): Promise<Metafile> =>
  bundleEntry(fileURLToPath(new URL(`../../functions/${id}.ts`, import.meta.url)), outfile);

/**
 * Bundles any program with the options that the stack has for its functions.
 * @param entry its file
 * @param outfile where the bundle is written
 * @param more modules that are replaced besides, by what
 */
export async function bundleEntry(
  entry: string,
  outfile: string,
  more: Pick<BuildOptions, 'alias'> = {},
): Promise<Metafile> {
  const { minify, sourceMap, sourcesContent, mainFields, target, format, externalModules } = bundling;
  const options = { minify, sourcemap: sourceMap, sourcesContent, mainFields, target, format };
  const fixed = {
    bundle: true,
    platform: 'node',
    metafile: true,
    outfile,
    entryPoints: [entry],
    external: externalModules,
    alias: { ...alias, ...more.alias },
  };
  const { metafile } = await build({ ...options, ...fixed } as BuildOptions & { metafile: true });
  return metafile;
}
