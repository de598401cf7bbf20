import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { environmentNames } from '../../infra/environments.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { root, temporaryFolder } from '../support/programs/program.ts';

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
const all = workflows.map(([, text]) => text).join('\n');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found ?? '');

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

const pinned = /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

describe.each(workflows)('%s', (name, text) => {
  it('pins actions to a commit, with the version in a comment', () => {
    const uses = matches(text, /\buses: *(.*)$/gm);
    const local = uses.filter((action) => action.startsWith('./'));
    expect(uses.filter((action) => !local.includes(action) && !pinned.test(action))).toEqual([]);
    expect(local.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('pins images to a digest', () => {
    expect(matches(text, /\bimage: *(.*)$/gm).filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
  });

  it('runs scripts that exist', () => {
    const scripts = matches(text.replaceAll(/\bnpm test\b/g, 'npm run test'), /\brun: npm run ([\w-]+)/g);
    expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([]);
  });

  it('runs only commands of npm, and the linter of templates', () => {
    const lines = matches(text, /\brun: *(.*)$/gm).filter((line) => line !== '|');
    expect(
      lines.filter((line) => !/^(npm (run|test|audit|sbom|ci --ignore-scripts)|pipx run cfn-lint==)/.test(line)),
    ).toEqual([]);
  });

  it('has no default permissions, and gives a secret to nothing but the smoke test', () => {
    expect(text).toMatch(/^permissions: \{\}$/m);
    expect(matches(text, /(\S*\bsecrets\.\S+)/g)).toEqual(
      name === 'deploy-environment.yml' ? ['secrets.CATALOG_TOKEN'] : [],
    );
    // GitHub gives an environment's secrets only to workflows that are called so.
    const calls = matches(text, /\buses: (\S+deploy-environment\.yml)$/gm);
    expect(matches(text, /^ +(secrets: .*)$/gm)).toEqual(calls.map(() => 'secrets: inherit'));
  });
});

describe('the pipeline', () => {
  it('uses a single version of each action', () => {
    const actions = new Set(matches(all, /\buses: *([^.\n].*)$/gm));
    const names = [...actions].map((action) => action.split('@')[0]);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
  });

  it('compares pull requests without credentials', () => {
    const changes = readFileSync(join(folder, 'changes.yml'), 'utf8');
    expect(changes).toMatch(/^ {2}pull_request:$/m);
    expect(changes).not.toMatch(/id-token|configure-aws-credentials/);
  });

  it.each(['deploy-environment.yml', 'drift.yml'])('%s runs no code of others while it has credentials', (name) => {
    const [job] = Object.values(parse(readFileSync(join(folder, name), 'utf8')).jobs) as { steps: Step[] }[];
    const steps = job?.steps.map(({ run, uses }) => run ?? uses ?? '') ?? [];
    const first = (begin: string) => steps.findIndex((step) => step.startsWith(begin));
    expect(first('npm')).toBe(first('npm ci --ignore-scripts'));
    expect(first('npm')).toBe(first('aws-actions/configure-aws-credentials@') - 1);
    // What is reviewed is checked before any of it runs.
    if (name === 'deploy-environment.yml') expect(first('git merge-base')).toBe(first('actions/checkout@') + 1);
  });

  it('runs every program of npm run nightly', () => {
    const programs = matches(
      readFileSync(join(root, 'tools/nightly.ts'), 'utf8'),
      /\baddProgram\(program, '([\w-]+)'/g,
    );
    const nightly = parse(readFileSync(join(folder, 'nightly.yml'), 'utf8')).jobs.programs.strategy.matrix.program;
    const run = [...nightly, ...matches(all, /npm run nightly -- (\w.*)$/gm)].map((line: string) => line.split(' ')[0]);
    expect(run.sort()).toEqual(programs.sort());
  });

  it.each(['deploy-commit.yml', 'drift.yml'])('%s knows every environment', (name) => {
    const [listed = ''] = matches(readFileSync(join(folder, name), 'utf8'), /(?:options|environment): \[(.*)\]$/gm);
    expect(listed.split(', ')).toEqual(environmentNames);
  });

  describe('the deployment of a commit', () => {
    const text = readFileSync(join(folder, 'deploy-environment.yml'), 'utf8');
    const [review = '', overtake = '', refuse = '', ...steps] = matches(text, /\brun: \|\n((?: {10}.*\n)+)/g).map(
      (step) => step.replaceAll(/^ {10}/gm, ''),
    );
    const before = {
      deploy: 'node infra/tools/cdk/command.ts deploy',
      smoke: 'node infra/tools/smoke/command.ts',
    };

    /** What the steps run in a checkout with these scripts, and whether they give it a token, empty or not. */
    const commandsWith = (scripts: object, { acceptLoss = '', token = '' } = {}) => {
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts }));
      const env = { ...process.env, ENVIRONMENT: 'dev', AT_ONCE: 'true', ACCEPT_LOSS: acceptLoss };
      return steps.map((step) => {
        const printed = step.replace(/^npm run/m, `echo "\${CATALOG_TOKEN+with a token: }npm run"`);
        const given = step.includes('CATALOG_TOKEN') ? { ...env, CATALOG_TOKEN: token } : env;
        return execFileSync('bash', ['-e', '-c', printed], { cwd, env: given, encoding: 'utf8' }).trim();
      });
    };

    /** A checkout of the newest of two commits, and what runs git, commits and a step there. */
    const checkout = () => {
      const cwd = temporaryFolder();
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...args], { cwd, encoding: 'utf8' }).trim();
      const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message);
      git('init', '--quiet');
      for (const message of ['an earlier one', 'the newest of main']) commit(message);
      git('update-ref', 'refs/remotes/origin/main', 'HEAD');
      return { git, commit, run: (step: string) => spawnSync('bash', ['-e', '-c', step], { cwd, encoding: 'utf8' }) };
    };

    it('is of one that main contains, as nobody has reviewed others', () => {
      const { git, commit, run } = checkout();
      expect(run(review)).toMatchObject({ status: 0, stdout: '' });
      git('checkout', '--quiet', '--detach', 'HEAD~1');
      expect(run(review)).toMatchObject({ status: 0, stdout: '' });
      commit('another one');
      git('tag', 'origin/main');
      expect(run(review)).toMatchObject({
        status: 1,
        stdout: expect.stringMatching(/^::error::Only commits that main /),
      });
      const name = parse(readFileSync(join(folder, 'deploy-commit.yml'), 'utf8'))['run-name'];
      expect(name).toMatch(/inputs\.commit .* inputs\.environment /);
    });

    it('does not go over a newer one that is deployed, unless somebody names the commit', () => {
      const { git, commit, run } = checkout();
      const over = (deployed: string) => run(`aws() { echo ${deployed}; }\n${overtake}`);
      const [newest, earlier] = [git('rev-parse', 'HEAD'), git('rev-parse', 'HEAD~1')];
      for (const deployed of [earlier, newest]) expect(over(deployed)).toMatchObject({ status: 0, stdout: '' });
      // A deployment by hand, one without the output, of what has not been pushed, and of a branch of this name.
      git('branch', 'unknown');
      for (const deployed of ['None', 'unknown', `${newest}-dirty`, 'a'.repeat(40)])
        expect(over(deployed)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^::notice::/) });
      git('checkout', '--quiet', '--detach', earlier);
      expect(over(newest)).toMatchObject({ status: 1, stdout: expect.stringMatching(/^::error::main has gone on: /) });
      commit('of another branch');
      expect(over(newest)).toMatchObject({ status: 0, stdout: '' });
      expect(run(`aws() { return 254; }\n${overtake}`).status).toBe(254);
      expect(text).toMatch(/- if: inputs\.commit == ''\n +run: \|\n +deployed=\$\(aws cloudformation /);
    });

    it('is followed by its smoke test', () => {
      expect(commandsWith(packageJson.scripts)).toEqual([
        'npm run cdk -- deploy --env dev --require-approval never --context atOnce=true',
        'npm run admin -- smoke --env dev',
      ]);
    });

    it('gives the smoke test a token if there is one, and otherwise none, as older ones would send an empty one', () => {
      expect(commandsWith(before, { token: 'cat_1' })[1]).toMatch(/^with a token: npm run smoke /);
      expect(commandsWith(before)[1]).toMatch(/^npm run smoke /);
    });

    it('removes and replaces resources if told to', () => {
      const [deploy] = commandsWith(packageJson.scripts, { acceptLoss: '--accept-loss' });
      expect(deploy).toContain('deploy --env dev --accept-loss --require-approval never');
      expect(text).toMatch(/^ +ACCEPT_LOSS: .* inputs\.accept-loss && '--accept-loss' \|\| '' /m);
    });

    it('removes resources only if it is the newest, as older commands would try to remove a table', () => {
      const refused = (newest: string) => {
        const env = { ...process.env, ENVIRONMENT: 'dev', GITHUB_SHA: newest };
        return spawnSync('bash', ['-e', '-c', `git() { echo abc; }\n${refuse}`], { env, encoding: 'utf8' });
      };
      expect(refused('abc')).toMatchObject({ status: 0, stdout: '' });
      expect(refused('def')).toMatchObject({
        status: 1,
        stdout: expect.stringMatching(/^::error::.*rollback --env dev,/),
      });
      expect(text).toMatch(/- if: inputs\.accept-loss\n +run: \|\n +\[ /);
    });

    it('is done as the person who starts it says, once the one before it has ended', () => {
      const { on, jobs } = parse(readFileSync(join(folder, 'deploy-commit.yml'), 'utf8'));
      const given = (name: string) => [name, `\${{ inputs.${name} }}`];
      expect(jobs.deploy.with).toEqual(Object.fromEntries(Object.keys(on.workflow_dispatch.inputs).map(given)));
      expect(parse(text).jobs.deploy.concurrency).toMatch(/^deploy-\$\{\{ inputs\.environment \}\}$/);
      expect(text).toMatch(/^ +AT_ONCE: \$\{\{ inputs\.at-once \}\}$/m);
    });

    it('uses the commands of that commit, if it has older ones', () => {
      expect(commandsWith(before)).toEqual([
        'npm run deploy -- dev --require-approval never --context atOnce=true',
        'npm run smoke -- dev',
      ]);
    });
  });

  it('looks for manual changes every night, in environments that need no approval', () => {
    const { on, jobs } = parse(readFileSync(join(folder, 'drift.yml'), 'utf8'));
    expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }]);
    expect(jobs.drift.environment).toMatch(/^\$\{\{ matrix\.environment \}\}-drift$/);
  });

  it('checks each pull request once, and deploys each push to main to all environments in order, once all checks have passed', () => {
    const deploy = readFileSync(join(folder, 'deploy.yml'), 'utf8');
    expect(parse(deploy).on).toEqual({ push: { branches: ['main'] } });
    expect(matches(deploy, /^ {6}environment: (.*)$/gm)).toEqual(environmentNames);
    expect(matches(deploy, /^ {4}needs: (.*)$/gm)).toEqual(['[check, security]', ...environmentNames.slice(0, -1)]);
    for (const [, text] of workflows.filter(([name]) => /^(check|security)/.test(name)))
      expect(Object.keys(parse(text).on)).toEqual(expect.not.arrayContaining(['push']));
  });

  it('waits for no macOS, and for no code scanning where GitHub has none, and may do what the scanning needs', () => {
    const jobsOf = (name: string) => parse(readFileSync(join(folder, name), 'utf8')).jobs;
    const { macos, ...waitedFor } = jobsOf('check.yml');
    expect(macos.if).toBe("github.event_name == 'pull_request'");
    expect(JSON.stringify(waitedFor)).not.toContain('macos');
    const { codeql } = jobsOf('security.yml');
    expect(codeql.if).toContain("{ !github.event.repository.private || vars.CODE_SCANNING == 'true' }");
    expect(codeql.permissions).toEqual({ actions: 'read', contents: 'read', 'security-events': 'write' });
    expect(jobsOf('deploy.yml').security.permissions).toEqual(codeql.permissions);
  });
});
