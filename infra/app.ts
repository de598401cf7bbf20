import { spawnSync } from 'node:child_process';
import { createApp } from './catalogApp.ts';
import { SettingsError, unknownCommit } from './environments.ts';
import { addRules } from './rules.ts';

try {
  const app = createApp({ bundling: true, commit: currentCommit() });
  addRules(app);
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** The commit of these sources, with `-dirty` if they have been changed since. */
function currentCommit(): string {
  const args = ['describe', '--always', '--abbrev=40', '--exclude=*', '--dirty'];
  const { status, stdout } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : unknownCommit;
}
