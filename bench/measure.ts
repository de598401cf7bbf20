import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CommandError } from '../cli/commandError.ts';
import { identitySettings } from '../lib/identity/identitySettings.ts';
import { variables } from '../lib/runtime/environment.ts';
import { deployed, exporting } from './contender.ts';
import { measureEngine } from './engine.ts';
import { bundled, type Functions, project, tableName } from './programs.ts';
import { measuredFunctions } from './requests.ts';
import { functionStarter, measureStarts, type Starter } from './starts.ts';
import { measureWarm } from './warm.ts';
import type { Setting } from './worker.ts';

type Progress = (text: string) => void;

/** Measures the functions beside the SDK alone, with the fewest commands written by hand, and beside other libraries. */
export async function measure(setting: Setting, folder: string, functions: Functions, progress: Progress) {
  progress('installing what the service is compared with');
  installPeers();
  const floor = exporting('SDK alone', await bundled('floor.ts', folder), ['getCatalog', 'updateKeyed']);
  const service = deployed('service', functions);
  const others = [
    exporting('OneTable', await bundled('peers/oneTable.js', folder), ['listItems']),
    exporting('ElectroDB', await bundled('peers/electroDb.js', folder), []),
    exporting('dynamodb-toolbox', await bundled('peers/toolbox.js', folder), ['listItems']),
  ];
  const starters = await startersOf(functions, folder);
  progress('starts');
  return {
    starters,
    starts: await measureStarts(setting, starters),
    warm: await measureWarm(setting, [floor, service], measuredFunctions, progress),
    engine: await measureEngine({ child: setting.child }, [floor, service, ...others], progress),
  };
}

/** They are no dependencies of the project, because nothing but the bench needs them. */
function installPeers(): void {
  const options = ['--prefix', join(project, 'bench'), '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['ci', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new CommandError('The libraries in bench/package.json could not be installed.');
}

/** The SDK alone comes first: the others are compared with it. */
async function startersOf(functions: Functions, folder: string): Promise<Starter[]> {
  const identity = identitySettings.parse({ issuer: 'http://127.0.0.1:1', audience: tableName });
  const { bundle, env } = functions.authorizer;
  const withProvider = { bundle, env: { ...env, [variables.identity]: JSON.stringify(identity) } };
  const stack = await bundled('peers/usualStack.js', folder, false);
  const first = { operation: 'create' };
  return [
    { name: 'SDK alone', program: await bundled('floor.ts', folder), first },
    ...measuredFunctions.map((name) => functionStarter(name, functions[name])),
    { ...functionStarter('authorizer', withProvider), name: 'authorizer with an identity provider' },
    { name: 'SDK as usually bundled', program: await bundled('floor.ts', folder, false), first },
    { ...functionStarter('createItem', stack), name: 'the usual stack' },
  ];
}
