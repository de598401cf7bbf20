import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { environmentNames } from '../../infra/environments.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { root, temporaryFolder } from '../support/programs/program.ts';

const folder = join(root, '.github/workflows');
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
const contentOf = (name: string) => parse(textOf(name));
const workflows = readdirSync(folder).map((name) => [name, textOf(name)] as const);
const all = workflows.map(([, text]) => text).join('\n');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found ?? '');

/** What a step must look like, by its key. Images are pinned to a digest, and actions to a commit with its version. */
const forms = {
  image: /@sha256:[0-9a-f]{64}$/,
  uses: /^([\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\.\/.*)$/,
  run: /^(\||(npm (run|test|audit|sbom|ci --ignore-scripts)|pipx run cfn-lint==).*)$/,
};

describe.each(workflows)('%s', (name, text) => {
  it.each(Object.entries(forms))('has in %s only what is pinned or known', (key, form) => {
    expect(matches(text, new RegExp(`\\b${key}: *(.*)$`, 'gm')).filter((value) => !form.test(value))).toEqual([]);
  });

  it('runs scripts and calls workflows that exist', () => {
    const scripts = matches(text.replaceAll(/\bnpm test\b/g, 'npm run test'), /\brun: npm run ([\w-]+)/g);
    expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([]);
    expect(matches(text, /\buses: *(\..*)$/gm).filter((file) => !existsSync(join(root, file)))).toEqual([]);
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

  it.each(['deploy-environment.yml', 'drift.yml'])('%s runs no code of others while it has credentials', (name) => {
    const [job] = Object.values(contentOf(name).jobs) as { steps: { run?: string; uses?: string }[] }[];
    const steps = job?.steps.map(({ run, uses }) => run ?? uses ?? '') ?? [];
    const first = (begin: string) => steps.findIndex((step) => step.startsWith(begin));
    expect(first('npm')).toBe(first('npm ci --ignore-scripts'));
    expect(first('npm')).toBe(first('aws-actions/configure-aws-credentials@') - 1);
    // The reviewed commit is checked before any of it runs.
    if (name === 'deploy-environment.yml') expect(first('git merge-base')).toBe(first('actions/checkout@') + 1);
  });

  it('runs every program of npm run nightly', () => {
    const tool = readFileSync(join(root, 'tools/nightly.ts'), 'utf8');
    const nightly = contentOf('nightly.yml').jobs.programs.strategy.matrix.program;
    const run = [...nightly, ...matches(all, /npm run nightly -- (\w.*)$/gm)].map((line: string) => line.split(' ')[0]);
    expect([...new Set(run)].sort()).toEqual(matches(tool, /\baddProgram\(program, '([\w-]+)'/g).sort());
  });

  it.each(['deploy-commit.yml', 'drift.yml'])('%s knows every environment', (name) => {
    const [listed = ''] = matches(textOf(name), /(?:options|environment): \[(.*)\]$/gm);
    expect(listed.split(', ')).toEqual(environmentNames);
  });

  describe('the deployment of a commit', () => {
    const text = textOf('deploy-environment.yml');
    const [review = '', overtake = '', refuse = '', ...steps] = matches(text, /\brun: \|\n((?: {10}.*\n)+)/g).map(
      (step) => step.replaceAll(/^ {10}/gm, ''),
    );
    const before = { deploy: 'node infra/tools/cdk/command.ts deploy', smoke: 'node infra/tools/smoke/command.ts' };
    const refusal = (message: RegExp) => ({ status: 1, stdout: expect.stringMatching(message) });
    const nothing = { status: 0, stdout: '' };

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
      expect(run(review)).toMatchObject(nothing);
      git('checkout', '--quiet', '--detach', 'HEAD~1');
      expect(run(review)).toMatchObject(nothing);
      commit('another one');
      git('tag', 'origin/main');
      expect(run(review)).toMatchObject(refusal(/^::error::Only commits that main /));
      expect(contentOf('deploy-commit.yml')['run-name']).toMatch(/inputs\.commit .* inputs\.environment /);
    });

    it('does not go over a newer one that is deployed, unless somebody names the commit', () => {
      const { git, commit, run } = checkout();
      const over = (deployed: string) => run(`aws() { echo ${deployed}; }\n${overtake}`);
      const [newest, earlier] = [git('rev-parse', 'HEAD'), git('rev-parse', 'HEAD~1')];
      for (const deployed of [earlier, newest]) expect(over(deployed)).toMatchObject(nothing);
      // A deployment by hand, one without the output, of what has not been pushed, and of a branch of this name.
      git('branch', 'unknown');
      for (const deployed of ['None', 'unknown', `${newest}-dirty`, 'a'.repeat(40)])
        expect(over(deployed)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^::notice::/) });
      git('checkout', '--quiet', '--detach', earlier);
      expect(over(newest)).toMatchObject(refusal(/^::error::main has gone on: /));
      commit('of another branch');
      expect(over(newest)).toMatchObject(nothing);
      expect(run(`aws() { return 254; }\n${overtake}`).status).toBe(254);
      expect(text).toMatch(/- if: inputs\.commit == ''\n +run: \|\n +deployed=\$\(aws cloudformation /);
    });

    it.each([
      ['cdk -- deploy --env dev', 'admin -- smoke --env dev', 'of its own', packageJson.scripts],
      ['deploy -- dev', 'smoke -- dev', 'of an older one', before],
    ])('runs %s, and then %s, the commands %s', (deploy, smoke, _, scripts) => {
      expect(commandsWith(scripts)).toEqual([
        `npm run ${deploy} --require-approval never --context atOnce=true`,
        `npm run ${smoke}`,
      ]);
    });

    it('gives the smoke test a token only if there is one, as older ones would send an empty one', () => {
      expect(commandsWith(before, { token: 'cat_1' })[1]).toMatch(/^with a token: npm run smoke /);
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
      expect(refused('abc')).toMatchObject(nothing);
      expect(refused('def')).toMatchObject(refusal(/^::error::.*rollback --env dev,/));
      expect(text).toMatch(/- if: inputs\.accept-loss\n +run: \|\n +\[ /);
    });

    it('is done as the person who starts it says, once the one before it has ended', () => {
      const { on, jobs } = contentOf('deploy-commit.yml');
      const given = (name: string) => [name, `\${{ inputs.${name} }}`];
      expect(jobs.deploy.with).toEqual(Object.fromEntries(Object.keys(on.workflow_dispatch.inputs).map(given)));
      expect(parse(text).jobs.deploy.concurrency).toEqual({
        group: `deploy-\${{ inputs.environment }}`,
        queue: 'max',
      });
      expect(text).toMatch(/^ +AT_ONCE: \$\{\{ inputs\.at-once \}\}$/m);
    });
  });

  it('looks for manual changes every night, in environments that need no approval', () => {
    const { on, jobs } = contentOf('drift.yml');
    expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }]);
    expect(jobs.drift.environment).toMatch(/^\$\{\{ matrix\.environment \}\}-drift$/);
  });

  it('checks each pull request once, and deploys each push to main in order, once all checks have passed', () => {
    const deploy = textOf('deploy.yml');
    expect(parse(deploy).on).toEqual({ push: { branches: ['main'] } });
    expect(matches(deploy, /^ {6}environment: (.*)$/gm)).toEqual(environmentNames);
    expect(matches(deploy, /^ {4}needs: (.*)$/gm)).toEqual(['[check, security]', ...environmentNames.slice(0, -1)]);
    for (const [, text] of workflows.filter(([name]) => /^(check|security)/.test(name)))
      expect(Object.keys(parse(text).on)).toEqual(expect.not.arrayContaining(['push']));
  });

  it('runs all in a public repository, and in a private one what a change must pass, unless asked for all', () => {
    const jobs = ['check.yml', 'nightly.yml'].flatMap((name) => Object.entries<{ if?: string }>(contentOf(name).jobs));
    const optional = /!github\.event\.repository\.private \|\| vars\.ALL_CHECKS == 'true'\)? \}\}$/;
    const always = jobs.flatMap(([name, job]) => (optional.test(job.if ?? '') ? [] : name));
    expect(always).toEqual(['check', 'contract', 'compatibility']);
  });

  it('also checks settings that are filled in, and each night every optional one', () => {
    expect(contentOf('check.yml').jobs.others.strategy.matrix.include).toContainEqual(
      expect.objectContaining({ 'fill-in': true }),
    );
    const steps: { run?: string }[] = contentOf('nightly.yml').jobs['all-settings'].steps;
    const commands = steps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual(['npm run nightly -- fill-in --all', 'npm run check', 'npm test']);
  });

  it('waits for no macOS, and for no code scanning where there is none, and may do what scanning needs', () => {
    const { macos, ...waitedFor } = contentOf('check.yml').jobs;
    expect(macos.if).toContain("{ github.event_name == 'pull_request' && (");
    expect(JSON.stringify(waitedFor)).not.toContain('macos');
    const { codeql } = contentOf('security.yml').jobs;
    expect(codeql.if).toContain("{ !github.event.repository.private || vars.CODE_SCANNING == 'true' }");
    expect(codeql.permissions).toEqual({ actions: 'read', contents: 'read', 'security-events': 'write' });
    expect(contentOf('deploy.yml').jobs.security.permissions).toEqual(codeql.permissions);
  });
});
