import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { environmentNames, type Settings, settingsOf } from '../../infra/environments.ts';
import { optionalSettings } from '../../tools/cdk/optionalSettings.ts';
import { rejectPlaceholders } from '../../tools/cdk/rejectPlaceholders.ts';

// Fills in the settings of this checkout as a team does that takes the service over, so that all tests run with them.
// With --all, every optional setting has a value.

const region = 'us-west-2';
const accounts = { dev: '222233334444', staging: '333344445555', prod: '555566667777' };
const { identity, tags, eventBus, backup } = optionalSettings;
const every = (name: keyof typeof accounts): Partial<Settings> => ({
  tags,
  eventBus,
  tableKey: `arn:aws:kms:${region}:${accounts[name]}:key/1a2b`,
  backup: settingsOf(name).keepsData ? backup : undefined,
});

const filledIn = environmentNames.map((name) => {
  // The origins of web pages, and who receives alarms.
  const settings: Settings = JSON.parse(JSON.stringify(settingsOf(name)).replaceAll('example.com', 'acme.test'));
  const changed: Settings = {
    ...settings,
    account: accounts[name],
    region,
    memory: settings.memory + 256,
    recoveryDays: Math.max(1, settings.recoveryDays - 1),
    changeDays: settings.changeDays + 1,
    logDays: 90,
    identity: { ...identity, issuer: `https://login.${name}.acme.test/` },
    customDomain: { name: `api.${name}.acme.test`, zone: { id: 'Z2', name: 'acme.test' } },
    ...(process.argv.includes('--all') && every(name)),
  };
  rejectPlaceholders(name, settingsOf(name, changed));
  return [name, changed] as const;
});

const file = 'infra/environments.ts';
const literal = /(?<=^const environments = )\{.*?^\}(?= as const satisfies)/ms;
const text = readFileSync(file, 'utf8');
if (!literal.test(text)) throw new Error(`${file} has no settings where they are looked for.`);
writeFileSync(
  file,
  text.replace(literal, () => JSON.stringify(Object.fromEntries(filledIn))),
);
process.exitCode = spawnSync('npx', ['biome', 'format', '--write', file], { stdio: 'inherit' }).status ?? 1;
