import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { startTestApi } from '../support/api/testApi.ts';
import { page } from '../support/programs/pages.ts';
import { runProgram, serviceFolder, temporaryFolder } from '../support/programs/program.ts';

interface Command {
  readonly line: string;
  /** Without quotes, comments and where the output goes. */
  readonly words: readonly string[];
  readonly output: string | undefined;
}

const pages = ['docs/accounts.md', 'docs/operations.md', 'docs/incidents.md', 'docs/identity.md'];
const commands = pages
  .flatMap((path) => [...page(path).matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n')))
  .map((line): Command => {
    const [command = '', output] = line
      .replace(/ {2,}#.*/, '')
      .trim()
      .split(' > ');
    const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
    return { line: command, words: words.map((word) => (word === 'TIME' ? '2026-11-22T03:00:00Z' : word)), output };
  })
  .filter(({ line }) => line !== '');

/** The commands of one of our programs, without what npm takes. */
const of = (start: RegExp) =>
  commands
    .filter(({ line }) => start.test(line))
    .map((command) => ({ ...command, args: command.words.slice(command.words.indexOf('--') + 1) }));
const admin = of(/^npm run (--silent )?admin -- /);
const cdk = of(/^npm run cdk -- /);

it('are of our own programs, of aws, which are checked by its own model, or none that could be tried', () => {
  const others = commands.filter(({ line }) => !/^npm (run|start)\b|\baws /.test(line)).map(({ line }) => line);
  const known = /^(npm ci|npx cdk (bootstrap|orphan|import|deploy) .*|git .*|export .*|METHOD=\S+|done)$/;
  expect(others.filter((line) => !known.test(line))).toEqual([]);
});

describe('accepts what is typed, and only lacks credentials:', () => {
  const env = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true' };
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'items.csv'), 'name\nDesk\n');

  // This one first reads a token.
  it.each(admin.filter(({ args }) => args[1] !== 'find'))('$line', async ({ args }) => {
    const { code, stderr } = await runProgram('admin/admin.ts', args, { cwd, env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('No AWS credentials were found') });
  });

  it.each(cdk)('$line', async ({ args }) => {
    const { code, stderr } = await runProgram('tools/cdk/cdk.ts', args, { env });
    // Prod and staging cannot be deployed as they are in the repository.
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/No AWS cred|is still a placeholder/) });
  });

  it.each(of(/^npm start -- /))('$line', async ({ args }) => {
    const { stderr } = await runProgram('local/start.ts', args, { env: { PORT: 'none' } });
    expect(stderr).toMatch(/^PORT must be a number/);
  });
});

describe('does on the local service what the page says:', async () => {
  const api = await startTestApi();
  const cwd = serviceFolder({ url: api.url, table: api.table, dynamodb: inject('dynamodb'), tokens: api.tokens });
  writeFileSync(join(cwd, 'items.csv'), 'name,sku\nDesk,DESK-1\n');
  // What needs AWS, an answer at a terminal, minutes, a recorded change or a token of the page.
  const left =
    /^(rollback|status|heartbeat|restore|account delete|item undo|token (find|revoke --account acme --id))\b/;
  const tried = admin.filter(({ args }) => !left.test(args.join(' ')));

  it.each(tried)('$line', async ({ args, output }) => {
    const at = args.indexOf('--env');
    const { code, stdout, stderr } = await runProgram('admin/admin.ts', args.toSpliced(at, at < 0 ? 0 : 2), { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    if (output !== undefined) writeFileSync(join(cwd, output), stdout);
  });
});
