import { type BuildOptions, build, type Metafile } from 'esbuild';
import { alias, bundling, bundlingWithSdk, entryOf, supported } from '../../../infra/constructs/bundling.ts';
import { functionAccess } from '../../../infra/constructs/functionAccess.ts';

/**
 * Bundles a function as the stack does.
 * @param id the name of its entry file
 * @param outfile where the bundle is written
 */
export async function bundleFunction(id: string, outfile: string): Promise<Metafile> {
  const isCalledByApi = id in functionAccess;
  const { minify, sourceMap, sourcesContent, mainFields, target, format, externalModules } = isCalledByApi
    ? bundling
    : bundlingWithSdk;
  const ofSdk = { external: externalModules, alias: isCalledByApi ? alias : {} };
  const options = { minify, sourcemap: sourceMap, sourcesContent, mainFields, target, format, ...ofSdk };
  const fixed = { bundle: true, platform: 'node', metafile: true, outfile, entryPoints: [entryOf(id)], supported };
  const { metafile } = await build({ ...options, ...fixed } as BuildOptions & { metafile: true });
  return metafile;
}
