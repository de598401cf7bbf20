import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { permissions } from '../../lib/access/permissions.ts';
import { retryReasons } from '../../lib/catalog/requestContext.ts';
import { presentCatalog } from '../../lib/http/catalogPresenter.ts';
import { queryParameters } from '../../lib/http/openapi/parameters.ts';
import { operations } from '../../lib/http/operations.ts';
import { initialUnits } from '../../lib/item/account.ts';
import { errors } from '../../lib/item/errors.ts';
import type { FieldName } from '../../lib/item/fields.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { keys } from '../../lib/store/records/keys.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { codeIn, page, tableAfter } from '../support/pages.ts';
import { testCaller } from '../support/proxyEvent.ts';
import { readCreate, readUpdate } from '../support/readBody.ts';
import { sampleAccount } from '../support/sampleAccount.ts';

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
});
