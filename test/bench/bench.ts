/**
 * Measures what is deployed, beside the SDK alone, the fewest commands that could do the same, and others. Prints tables
 * and asserts nothing, as machines differ.
 */

import { readOptions, usageError } from '../../infra/cli/arguments.ts';
import { setLocalCredentials } from '../../infra/cli/localCredentials.ts';
import { printError } from '../../infra/cli/print.ts';
import { runCommand } from '../../infra/cli/runCommand.ts';
import { showProgress } from '../../infra/cli/showProgress.ts';
import { functionNames } from '../../infra/constructs/functionAccess.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import { Artifacts, functionEnvironments } from './artifacts.ts';
import { installPeers, peerVersions } from './peers.ts';
import { endProcesses } from './processes.ts';
import { writeReport } from './report.ts';
import type { Bench, Findings, Sampling } from './section.ts';
import { sections } from './sections.ts';

const help = `Measures the deployed bundles: sizes, starts, CPU, the store on the engine, scale, failures and memory.

  npm run bench -- [options]

  --only NAME[,NAME]  only these sections: ${Object.keys(sections).join(', ')}
  --write             writes docs/bench.md and its pictures, after a run of all sections
  --help              shows this`;

const sampling: Sampling = {
  functions: functionNames,
  items: 256,
  starts: 15,
  warm: { turns: 9, requests: 200 },
  store: { turns: 5, requests: 400, clients: [1, 16, 64] },
  failures: 100,
  scale: [1_000, 100_000, 1_000_000],
  memory: 200_000,
};

function sectionNames(only: string | undefined): string[] {
  const names = only?.split(',') ?? Object.keys(sections);
  const unknown = names.find((name) => !Object.hasOwn(sections, name));
  if (unknown !== undefined) throw usageError(`There is no section '${unknown}'`);
  return names;
}

/** Runs sections one after another; one that fails does not lose what the others find. */
async function runSections(names: readonly string[], bench: Omit<Bench, 'progress'>): Promise<Findings[]> {
  const findings: Findings[] = [];
  let state = '';
  const shown = showProgress(() => state);
  for (const name of names) {
    const progress = (text: string) => {
      state = `${name}: ${text}`;
    };
    progress('begins');
    try {
      const found = (await sections[name]?.({ ...bench, progress })) ?? { tables: [] };
      shown.clear();
      for (const { title, rows } of found.tables) {
        console.log(`\n${title}`);
        console.table(rows);
      }
      for (const note of found.notes ?? []) console.log(note);
      findings.push(found);
    } catch (error) {
      shown.clear();
      printError(`The section ${name} failed.`, error);
    }
  }
  shown.end();
  return findings;
}

async function bench(args: readonly string[]): Promise<number> {
  const options = { only: { type: 'string' }, write: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { only, write = false, help: asked = false } = readOptions(args, options);
  if (asked) {
    console.log(help);
    return 0;
  }
  if (write && only !== undefined) throw usageError('The page is written from a run of all sections, without --only');
  const names = sectionNames(only);
  setLocalCredentials();
  const artifacts = new Artifacts();
  let engine: ReturnType<typeof startOwnEngine> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      endProcesses();
      artifacts.remove();
      process.exit(130);
    });
  try {
    const findings = await runSections(names, {
      artifacts,
      environments: functionEnvironments(),
      sampling,
      missingPeers: await installPeers(),
      engine: () => {
        engine ??= startOwnEngine();
        return engine;
      },
    });
    if (findings.length < names.length) return 1;
    if (write) writeReport(findings, peerVersions);
    return 0;
  } finally {
    // A section that failed may have left some.
    endProcesses();
    artifacts.remove();
    await (await engine)?.stop();
  }
}

await runCommand(bench);
