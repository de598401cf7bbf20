import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alarmAdvice } from '../../infra/constructs/alarmDefinitions.ts';
import { environmentNames, settingsOf } from '../../infra/environments.ts';
import { permissions } from '../../lib/access/permissions.ts';
import { retryReasons, timedContext } from '../../lib/catalog/requestContext.ts';
import { presentCatalog } from '../../lib/http/catalogPresenter.ts';
import type { Observation } from '../../lib/http/observation.ts';
import { queryParameters } from '../../lib/http/openapi/parameters.ts';
import { operations } from '../../lib/http/operations.ts';
import { initialUnits } from '../../lib/item/account.ts';
import { errors } from '../../lib/item/errors.ts';
import type { FieldName } from '../../lib/item/fields.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { showAccount } from '../../lib/operator/accounts.ts';
import { createObserver } from '../../lib/runtime/observer.ts';
import { keys } from '../../lib/store/records/keys.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { createAdmin } from '../../tools/admin/createAdmin.ts';
import { propertiesOf, templateOf, theOnly } from '../infra/templateOf.ts';
import { codeIn, page, tableAfter } from '../support/pages.ts';
import { testCaller } from '../support/proxyEvent.ts';
import { readCreate, readUpdate } from '../support/readBody.ts';
import { sampleAccount } from '../support/sampleAccount.ts';
import type { TestApi } from '../support/testApi.ts';
import { startTestApi } from '../support/testApi.ts';

/** In the words of the page, what an update with a field's null does. */
function effectOfNull(field: FieldName): string {
  try {
    return field in readUpdate({ [field]: null }, sampleAccount).fields ? 'removes it' : 'changes nothing';
  } catch {
    return 'refused';
  }
}

describe('the API page', () => {
  const api = page('docs/api.md');

  it('has every operation with its method and path', () => {
    const shown = tableAfter(api, '## Operations').map((cells) => codeIn(cells.join(' ')));
    expect(shown).toEqual(Object.entries(operations).map(([name, { method, path }]) => [name, `${method} ${path}`]));
  });

  it('has every parameter of a list', () => {
    expect(tableAfter(api, '### List items')).toEqual(
      queryParameters.map(({ name, description }) => [`\`${name}\``, description]),
    );
  });

  it('has every member of the reference data', () => {
    const shown = tableAfter(api, '### Get reference data').map(([member]) => codeIn(member)[0]);
    const data = presentCatalog({ account: sampleAccount, defaults: {} as never }, testCaller('acme'));
    expect(shown).toEqual(Object.keys(data));
  });

  it('has every permission', () => {
    expect(tableAfter(api, '**Requests.**').map(([permission]) => codeIn(permission)[0])).toEqual([...permissions]);
  });

  it('has every error with its status', () => {
    const shown = tableAfter(api, 'The first four codes').map(([status, code]) => [codeIn(code)[0], Number(status)]);
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status])),
    );
    expect(shown).toHaveLength(Object.keys(errors).length);
  });

  it('says for every field what happens if it is omitted or null', () => {
    const rows = tableAfter(api, 'An item is a product or a service');
    expect(rows.map(([field]) => field)).toEqual(fieldNames.map((field) => `\`${field}\``));
    const created = readCreate({ name: 'Chair' }, sampleAccount);
    for (const [index, field] of fieldNames.entries()) {
      const [, , initial = '', onNull = ''] = rows[index] ?? [];
      const [, json] = /^`([^`]*)`/.exec(initial) ?? [];
      if (json === undefined)
        expect([field, initial]).toEqual([field, expect.stringMatching(/required|the account's default/)]);
      else expect([field, created[field]]).toEqual([field, JSON.parse(json)]);
      expect([field, onNull.split(',')[0]]).toEqual([field, effectOfNull(field)]);
    }
  });

  it('lists the fields that reject null', () => {
    const [, rule = ''] = /^4\. `null` is refused for (.*) and the numbers\.$/m.exec(api) ?? [];
    const numbers = ['value', 'qty', 'cost', 'tax'];
    expect([...codeIn(rule), ...numbers].toSorted()).toEqual(
      fieldNames.filter((field) => effectOfNull(field) === 'refused').toSorted(),
    );
  });

  it('has the units of a new account', () => {
    expect(api).toContain(
      `has the units ${[...initialUnits].map(([unit, decimals]) => `\`${unit}\` ${decimals}`).join(', ')},`,
    );
  });

  it('has the limits in the code', () => {
    const { name, unit, identifier, description, tag, value, tax, metadata, search, body } = limits;
    expect(tableAfter(api, '### Limits')).toEqual([
      ['`name`', `${name.min} to ${name.max}`],
      ['`unit`', `${unit.max}`],
      ['`sku`, `pn`', `${identifier.max}`],
      ['`description`', `${description.max}`],
      ['`tag`', `${tag.max}`],
      ['`value`, `cost`, `qty`', `0 to ${value.max}`],
      ['`tax`', `0 to ${tax.max}`],
      ['`metadata` keys in one request, stored', `${metadata.keysPerRequest}, ${metadata.keysStored}`],
      ['`metadata` numbers', `0, or ${metadata.number.min} to ${metadata.number.max} in magnitude`],
      ['`metadata` key, string', `${metadata.keyLength.max}, ${metadata.stringLength}`],
      ['`metadata` levels, the object itself being the first', `${metadata.levels}`],
      [
        '`metadata` values under one key, in one request, at any level',
        `${metadata.valuesPerKey}, ${metadata.valuesPerRequest}`,
      ],
      ['`search`', `${search.max}`],
      ['request body', `${body} bytes`],
    ]);
  });

  it('has the number of decimals of each number', () => {
    const { value, cost, tax } = limits;
    expect(value.decimals).toBe(cost.decimals);
    expect(api).toContain(`\`value\` and \`cost\` keep ${value.decimals} decimals, \`tax\` ${tax.decimals},`);
  });
});

describe('the page for the frontend', () => {
  it('explains every error to users', () => {
    const shown = tableAfter(page('docs/frontend.md'), 'Show `message`').map(([status, code]) => [
      codeIn(code)[0],
      Number(status),
    ]);
    expect(shown).toEqual(Object.entries(errors).map(([code, { status }]) => [code, status]));
  });
});

describe('the design page', () => {
  const design = page('docs/design.md');

  it('has the key of every record', () => {
    const [account, id] = ['<account>', '<id>' as unknown as number];
    const shown = tableAfter(design, '## Records').map(([, partition, sort]) => [codeIn(partition), codeIn(sort)]);
    const records = [
      [keys.account(account)],
      [keys.category(account, id)],
      [keys.unit(account, '<unit>')],
      [keys.item(account, id)],
      [keys.guard(account, 'sku', '<sku>'), keys.guard(account, 'pn', '<pn>')],
      [keys.counter(account)],
      [keys.idempotency(account, '<sha-256>')],
      [keys.token('<sha-256>')],
      [keys.tokenEntry(account, '<token id>')],
    ];
    expect(shown).toEqual(
      records.map((of) => [of.map(({ pk }) => pk), [...new Set(of.map(({ sk }) => sk.replace(/0+(?=<)/, '')))]]),
    );
    expect(new Set(records.flat().map(({ pk, sk }) => `${pk} ${sk}`)).size).toBe(Object.keys(keys).length + 1);
  });

  it('has every reason for a retry', () => {
    expect(tableAfter(design, '### Retries').map(([reason]) => codeIn(reason)[0])).toEqual([...retryReasons]);
  });
});

describe('the operations page', () => {
  const operations = page('docs/operations.md');

  it('names the environments', () => {
    const [, named = ''] = /^Each environment \((.*?)\) is one stack/m.exec(operations) ?? [];
    expect(codeIn(named)).toEqual(environmentNames);
  });

  it('names the workflows', () => {
    const named = tableAfter(operations, '**Pipeline.**').map(([name]) => codeIn(name)[0]);
    expect(named.toSorted()).toEqual(readdirSync('.github/workflows').toSorted());
  });

  it('names the commands of operators', () => {
    const [, listed = ''] = /--help` lists the commands: (.*)\.$/m.exec(operations) ?? [];
    const named = codeIn(listed).flatMap((text) => {
      const [what = '', deeds = ''] = text.split(' ');
      return deeds.split('|').map((deed) => `${what} ${deed}`);
    });
    const admin = createAdmin({ open: async () => expect.unreachable(), show: () => expect.unreachable() });
    const commands = admin.commands.flatMap((noun) => noun.commands.map((verb) => `${noun.name()} ${verb.name()}`));
    expect(named.toSorted()).toEqual(commands.toSorted());
  });

  it('has the same text as each alarm', () => {
    const advice = Object.entries(alarmAdvice).map(([name, { severity, impact, action }]) => [
      `\`${name}\``,
      severity,
      impact,
      action,
    ]);
    expect(tableAfter(operations, '## Alarms')).toEqual(advice);
  });

  it('computes the cost from the write units on the design page', () => {
    const units = tableAfter(page('docs/design.md'), '### What they cost').flatMap(([, , all = '']) => all.split(', '));
    const price = /DynamoDB on demand ([\d.]+) USD/.exec(operations)?.[1];
    for (const [row, , cell = ''] of tableAfter(operations, '## Cost')) {
      const [, used = '', by, cost] = /^([\d.]+) × ([\d.]+) = ([\d.]+)$/.exec(cell) ?? [];
      expect([row, units]).toEqual([row, expect.arrayContaining([used])]);
      expect([row, by, cost]).toEqual([row, price, (Number(used) * Number(price)).toFixed(2)]);
    }
  });
});

describe('the cost of an environment on the operations page', () => {
  const text = page('docs/operations.md');
  const template = templateOf('prod');
  const rows = tableAfter(text, 'Fixed costs per month');
  const [metrics, alarms, , rules] = rows.map(([, reckoned = '']) => Number(/^[\d.]+/.exec(reckoned)?.[0]));

  it.each(rows)('adds up: %s', (_, reckoned = '', usd = '') => {
    const [count = 0, each = 0, more = 0] = (reckoned.match(/[\d.]+/g) ?? []).map(Number);
    expect((count * each + more).toFixed(2)).toBe(usd);
  });

  it('counts the metrics of requests that all go well', () => {
    const reported = new Set(
      [...Object.keys(operations), 'authorizer'].flatMap((operation) =>
        metricsReported({ operation, status: 200 } as Observation),
      ),
    );
    const byOperation = [...reported].filter((name) => name.split(' ').length > 2).length;
    const ofHeartbeat = 1;
    const together = reported.size - byOperation + ofHeartbeat;
    const inAccessLog = propertiesOf(template, 'AWS::Logs::MetricFilter').length;
    expect(text).toContain(
      `${byOperation} of these metrics belong to one operation, ${together} to all operations together, and ${inAccessLog} are`,
    );
    expect(metrics).toBe(byOperation + together + inAccessLog);
  });

  it('counts the metrics that alarms watch, and the rules of the firewall', () => {
    const watched = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(
      ({ Metrics }) => Metrics?.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat).length ?? 1,
    );
    expect(alarms).toBe(watched.reduce((sum, count) => sum + count));
    expect(rules).toBe(theOnly(template, 'AWS::WAFv2::WebACL').Rules.length);
  });

  it('follows from the settings what the rates of the firewall mean', () => {
    const { firewall = { tokenRate: 0, addressRate: 0 }, throttling } = settingsOf('prod');
    const { tokenRate, addressRate } = firewall;
    const [stage, seconds] = [throttling.rate * 300, 300];
    const inWords = (count: number) => Math.floor(count).toLocaleString('en');
    for (const said of [
      `${inWords(tokenRate)} for a token allow an import of ${inWords(tokenRate / seconds)} requests a second`,
      `${inWords(addressRate)} for an address allow ${inWords(addressRate / (2 * seconds))} such people`,
      `allows all callers together ${inWords(stage)}`,
      `it takes ${inWords(stage / tokenRate)} tokens`,
    ])
      expect(text).toContain(said);
  });
});

/** The metrics that a request is reported by, each with the values of its dimensions. */
function metricsReported(observation: Observation): string[] {
  const lines: string[] = [];
  createObserver({
    write: (line) => lines.push(line),
    table: 'table',
    dynamodb: 'engine',
    now: Date.now,
    errorsOnly: false,
  })(observation);
  const line = JSON.parse(lines[0] ?? '');
  const { CloudWatchMetrics }: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] } =
    line._aws;
  return CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
    Dimensions.flatMap((dimensions) =>
      Metrics.map(({ Name }) => [Name, ...dimensions.map((dimension) => line[dimension])].join(' ')),
    ),
  );
}

describe('the page for contributors', () => {
  const contributing = page('docs/contributing.md');

  it('has every command', () => {
    const shown = tableAfter(contributing, '## Commands').flatMap(([command]) => codeIn(command));
    const scripts = Object.keys(packageJson.scripts).filter((name) => !name.startsWith('pre'));
    const files = { cdk: 'tools/cdk/cdk.ts', generate: 'tools/generate/generate.ts', nightly: 'tools/nightly.ts' };
    const subcommandsOf = (file: string) => {
      const [, list = ''] = execFileSync(process.execPath, [file, '--help'], { encoding: 'utf8' }).split('Commands:');
      return [...list.matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name).filter((name) => name !== 'help');
    };
    const asTyped = (name: string) => (['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`);
    const expected = scripts.flatMap((name) =>
      name in files
        ? subcommandsOf(files[name as keyof typeof files]).map((verb) => `${asTyped(name)} -- ${verb}`)
        : asTyped(name),
    );
    expect(shown.toSorted()).toEqual(expected.toSorted());
  });

  it('has every dependency', () => {
    const { dependencies, devDependencies, optionalDependencies } = packageJson;
    const shown = tableAfter(contributing, '## Dependencies').flatMap(([name]) => codeIn(name));
    expect(shown).toEqual(
      expect.arrayContaining(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })),
    );
  });

  describe('on the demo accounts', () => {
    const rows = tableAfter(contributing, '### The local service').map(([account = '', has = '', tokens]) => ({
      account: codeIn(account)[0] ?? '',
      has,
      tokens: codeIn(tokens),
    }));
    let api: TestApi;

    beforeAll(async () => {
      api = await startTestApi();
    });
    afterAll(() => api.close());

    it.each(rows)('says what $account has', async ({ account, has }) => {
      const opened = await showAccount(api.database.for(timedContext(Date.now() + 5_000)), account);
      const categories = [...opened.categories].map(
        ([id, { name, archived }]) =>
          `${id} \`${name}\`${id === opened.defaultCategory ? ' (default)' : ''}${archived ? ' (archived)' : ''}`,
      );
      expect(has).toBe(`categories ${categories.join(', ')}; default tax ${opened.defaultTax}`);
    });

    it('names every token', () => {
      const named = rows.flatMap(({ tokens }) => tokens).filter((name) => name !== 'cost');
      expect(named).toEqual(Object.keys(api.tokens));
    });
  });
});
