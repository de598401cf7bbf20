import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { templateOf } from '../infra/templateOf.ts';
import { root, startProgram, temporaryFolder } from '../support/programs/program.ts';
import { startAws } from '../support/standIns/standInAws.ts';

test('deploy runs the CDK for the given environment, whatever the flags say, and passes on its exit code', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'app.mjs'),
    `import { writeFileSync } from 'node:fs';
    writeFileSync(import.meta.dirname + '/context.json', process.env.CDK_CONTEXT_JSON);
    process.exit(7);`,
  );
  const app = ['--app', `node ${folder}/app.mjs`, '--output', join(folder, 'out')];
  const args = ['tools/cdk/cdk.ts', 'deploy', '--env', 'dev', '--context', 'env=prod', ...app];
  const { url } = await startAws({ stack: { template: JSON.stringify(templateOf('dev').toJSON()) } });
  // As npm runs it: what the CDK prints goes past this process.
  const env = { ...process.env, AWS_ENDPOINT_URL: url };
  const { ended, output } = startProgram(process.execPath, args, { cwd: root, env });
  expect(await ended).toBe(1);
  // With the variable CI, the CDK prints to the standard output.
  expect(output.stdout + output.stderr).toContain('app.mjs');
  expect(JSON.parse(readFileSync(join(folder, 'context.json'), 'utf8'))).toMatchObject({ env: 'dev' });
});
