import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** What constructs may know of `lib`: names, lists and numbers, but no behaviour. */
const facts =
  'lib/item/errors.ts lib/item/fields.ts lib/catalog/timeouts.ts lib/identity/identitySettings.ts lib/http/cors.ts ' +
  'lib/http/headers.ts lib/http/operations.ts lib/store/database/record.ts lib/store/records/keys.ts lib/runtime/environment.ts lib/runtime/metrics.ts';

/** What each folder may import besides itself, types included. A file belongs to the row with the longest match. */
const allowed: Record<string, string> = {
  'lib/item/': 'zod',
  'lib/catalog/': 'lib/item/',
  'lib/access/': 'lib/item/ lib/catalog/ node:',
  'lib/identity/': 'lib/item/ lib/catalog/ lib/access/ aws-jwt-verify node: zod',
  'lib/store/': 'lib/item/ lib/catalog/ lib/access/ @aws-sdk/ node: zod',
  'lib/store/database/': 'lib/item/ lib/catalog/ @aws-sdk/ node:',
  'lib/http/': 'lib/item/ lib/catalog/ lib/access/ @middy/core aws-lambda node: zod',
  'lib/smoke/': 'lib/item/ lib/access/ lib/http/ aws-lambda node:',
  'lib/operator/':
    'lib/item/ lib/catalog/ lib/access/ lib/store/ @aws-sdk/ aws-lambda csv-parse node: zod tools/cli/commandError.ts',
  'lib/runtime/':
    'lib/item/ lib/catalog/ lib/access/ lib/identity/ lib/store/ lib/http/ lib/smoke/ lib/operator/ @aws-sdk/ node: zod',
  'functions/': 'lib/http/ lib/smoke/ lib/operator/ lib/store/catalog/ lib/runtime/',
  'infra/': `${facts} cdk.json aws-cdk-lib cdk-nag constructs node: zod`,
  'tools/': 'esbuild node:',
  'tools/cli/': 'infra/ lib/ @aws-sdk/ @commander-js/extra-typings yocto-spinner node: zod',
  'tools/cdk/': 'tools/cli/ infra/ @aws-sdk/ node: yaml',
  'tools/compatibility/': 'tools/cli/ node:',
  'tools/generate/': 'tools/cli/ lib/http/ lib/operator/ package.json node:',
  'tools/lintTemplates/': 'tools/cli/ infra/ node:',
  'tools/admin/': 'tools/cli/ infra/ lib/ @aws-sdk/ @commander-js/extra-typings node: zod',
  'tools/local/': 'tools/cli/ infra/ lib/ @aws-sdk/ aws-lambda node: zod',
  'tools/local/gateway/': 'tools/local/ tools/cli/ aws-lambda node: zod',
};

const importing = /^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'/gm;

it.each(globSync('{lib,functions,infra,tools}/**/*.{ts,mjs}'))('%s imports what its layer may', (file) => {
  const [row = 'no row'] = Object.keys(allowed)
    .filter((folder) => file.startsWith(folder))
    .sort((a, b) => b.length - a.length);
  const imported = [...readFileSync(file, 'utf8').matchAll(importing)].map(([, name = '', lazy = name]) => lazy);
  const paths = imported.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
  const may = [row, ...(allowed[row]?.split(' ') ?? [])];
  expect(paths.filter((path) => !may.some((beginning) => path.startsWith(beginning)))).toEqual([]);
});

it('the tests can neither load nor start what only checks and deployments install', async () => {
  const resolve = "import.meta.resolve('typescript')";
  const started = spawnSync(process.execPath, ['--input-type=module', '--eval', resolve], { encoding: 'utf8' });
  expect(started.stderr).toContain('typescript');
  await expect(import('typescript')).rejects.toThrow('typescript');
});
