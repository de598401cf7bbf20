import { build } from 'esbuild'; import { gzipSync } from 'node:zlib';
for (const [m,n] of [['catalog-client','catalogClient'],['catalog-client/react','useItemForm'],['catalog-client/react','useItems'],['catalog-client/react','useItemChanges'],['catalog-client/react','useUndo'],['catalog-client/react','useImport'],['catalog-client/saveItem','saveItem'],['catalog-client/createItem','createItem'],['catalog-client/itemSearch','ItemSearch']]) {
 const r = await build({ stdin: { contents: `export { ${n} } from '${m}';`, resolveDir: process.cwd()+'/client/example', loader: 'ts' }, bundle: true, format: 'esm', minify: true, write: false, external: ['react'], metafile: true });
 console.log(n, (gzipSync(r.outputFiles[0].text).length/1000).toFixed(2), process.argv[2]===n ? Object.entries(Object.values(r.metafile.outputs)[0].inputs).map(([f,b])=>f+' '+b.bytesInOutput).join('\n') : '');
}
const r = await build({ stdin: { contents: `export { catalogClient } from 'catalog-client';export { createItem } from 'catalog-client/createItem';export { saveItem } from 'catalog-client/saveItem';`, resolveDir: process.cwd()+'/client/example', loader: 'ts' }, bundle: true, format: 'esm', minify: true, write: false });
console.log('together', gzipSync(r.outputFiles[0].text).length/1000);
