import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { alias, bundling, supported } from '../../infra/constructs/bundling.ts';

/**
 * Bundles a function as the stack does.
 * @param id the name of its file in functions/
 * @param outfile where the bundle is written
 */
export async function bundleFunction(id: string, outfile: string): Promise<Metafile> {
  const { minify, sourceMap, sourcesContent, mainFields, target, format, externalModules: external } = bundling;
  const options = { minify, sourcemap: sourceMap, sourcesContent, mainFields, target, format, external, alias };
  const entryPoints = [fileURLToPath(new URL(`../../functions/${id}.ts`, import.meta.url))];
  const fixed = { bundle: true, platform: 'node', metafile: true, outfile, entryPoints, supported };
  const { metafile } = await build({ ...options, ...fixed } as BuildOptions & { metafile: true });
  return metafile;
}
