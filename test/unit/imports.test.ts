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
  'functions/': 'lib/ admin/',
  'lib/item/': 'zod',
  'lib/catalog/': 'lib/item/',
  'lib/access/': 'lib/item/ lib/catalog/ node:',
  'lib/identity/': 'lib/item/ lib/catalog/ lib/access/ aws-jwt-verify node: zod',
  'lib/store/': 'lib/item/ lib/catalog/ lib/access/ @aws-sdk/ node: zod',
  'lib/store/database/': 'lib/item/ lib/catalog/ @aws-sdk/ node:',
  'lib/http/': 'lib/item/ lib/catalog/ lib/access/ @middy/core aws-lambda node: zod',
  'lib/http/openapi/': 'lib/item/ lib/catalog/ lib/access/ lib/changes/ lib/http/ zod',
  'lib/changes/': 'lib/item/ lib/catalog/ lib/access/ lib/store/ lib/http/ @aws-sdk/ aws-lambda node: zod',
  'lib/runtime/': 'lib/ @aws-sdk/ node: zod',
  'admin/': 'lib/ cli/ infra/environments.ts @aws-sdk/ @commander-js/extra-typings aws-lambda csv-parse node: zod',
  'local/': 'lib/ admin/ cli/ infra/ @aws-sdk/ aws-lambda node: zod',
  'local/gateway/': 'local/ cli/ aws-lambda node: zod',
  'infra/': `${facts} cdk.json aws-cdk-lib cdk-nag constructs node: zod`,
  'cli/': 'lib/ infra/environments.ts @aws-sdk/ @commander-js/extra-typings yocto-spinner node: zod',
  'tools/': 'cli/ esbuild node:',
  'tools/cdk/': 'cli/ infra/ @aws-sdk/ node: yaml',
  'tools/generate/': 'cli/ lib/http/ admin/accounts/ package.json node:',
};

const importing = /^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'/gm;

it.each(globSync('{lib,functions,admin,local,infra,cli,tools}/**/*.{ts,mjs}'))(
  '%s imports what its layer may',
  (file) => {
    const [row = 'no row'] = Object.keys(allowed)
      .filter((folder) => file.startsWith(folder))
      .sort((a, b) => b.length - a.length);
    const imported = [...readFileSync(file, 'utf8').matchAll(importing)].map(([, name = '', lazy = name]) => lazy);
    const paths = imported.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
    const may = [row, ...(allowed[row]?.split(' ') ?? [])];
    expect(paths.filter((path) => !may.some((beginning) => path.startsWith(beginning)))).toEqual([]);
  },
);

it('the tests can neither load nor start what only checks and deployments install', async () => {
  const resolve = "import.meta.resolve('typescript')";
  const started = spawnSync(process.execPath, ['--input-type=module', '--eval', resolve], { encoding: 'utf8' });
  expect(started.stderr).toContain('typescript');
  await expect(import('typescript')).rejects.toThrow('typescript');
});
