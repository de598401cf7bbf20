import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

/**
 * Names the sources in a bundle's source map as if it had been built in cdk.out, from which debuggers find them. A
 * function's asset is identified by all of its files, and would be another one for each folder that it is built in.
 */
const [root = '', file = ''] = process.argv.slice(2);
const fromRoot = (path: string): string => /(?<=\/)node_modules\/.*/.exec(path)?.[0] ?? relative(root, path);
const map = JSON.parse(readFileSync(file, 'utf8'));
const sources = map.sources.map((source: string) => `../../${fromRoot(resolve(dirname(file), source))}`);
writeFileSync(file, JSON.stringify({ ...map, sources }));
