import { fileURLToPath } from 'node:url';

/**
 * Bundles a script of the client's example, with the client from its sources. It is done each time, in some 30 ms, so that a change
 * shows when the page is loaded again. esbuild is only loaded when somebody opens the page.
 */
export async function bundleApp(entry: 'example/app.tsx' | 'sheetWorker.ts'): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../client/${entry}`, import.meta.url))],
    bundle: true,
    format: 'esm',
    sourcemap: 'inline',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}
