import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../lib/http/routes.ts';
import { initialUnits } from '../../lib/item/account.ts';
import { errors } from '../../lib/item/errors.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { FieldName } from '../../lib/item/limits.ts';
import { fieldNames, limits } from '../../lib/item/limits.ts';
import { readCreate, readUpdate } from '../support/readBody.ts';
import { readme, tableAfter } from '../support/readme.ts';
import { sampleAccount } from '../support/sampleAccount.ts';
import type { TestCatalog } from './testCatalog.ts';
import { startTestCatalog } from './testCatalog.ts';

/** The curl lines of the page, each with the answer that follows it. */
const examples = [...readme.matchAll(/```sh\n(curl [\s\S]*?)```[\s\S]*?```json\n([\s\S]*?)```/g)].map(
  ([, command = '', answer = '']) => ({
    command,
    answer: JSON.parse(answer) as JsonObject,
  }),
);

/** What a shell would make of a curl line of the page. */
function parseCurl(
  command: string,
  variables: { readonly TOKEN: string; readonly URL: string },
): { method: string; url: string; headers: Record<string, string>; body: string } {
  const text = Object.entries(variables).reduce((all, [name, value]) => all.replace(`$${name}`, value), command);
  const words = [...text.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  );
  const after = (option: string) => words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []));
  return {
    method: after('-X')[0] ?? '',
    url: words.find((word) => word.startsWith('http')) ?? '',
    headers: Object.fromEntries(after('-H').map((header) => header.split(': ') as [string, string])),
    body: after('-d')[0] ?? '',
  };
}

describe("README's examples, run in their order", () => {
  let catalog: TestCatalog;

  beforeAll(async () => {
    catalog = await startTestCatalog();
  });
  afterAll(() => catalog.close());

  it('are a create, an update and a refusal', () => {
    expect(examples.map(({ command }) => /-X (\w+)/.exec(command)?.[1])).toEqual(['POST', 'PUT', 'POST']);
  });

  it.each(examples)('%#: answers what the page shows', async ({ command, answer }) => {
    const variables = { TOKEN: catalog.tokens.editor, URL: `${catalog.url}${routes.createItem.path}` };
    const { method, url, headers, body } = parseCurl(command, variables);
    const response = await fetch(url, { method, body, headers });
    const shown = (await response.json()) as { data?: JsonObject };
    const sameDate = {
      ...answer,
      data: { ...(answer['data'] as JsonObject), create_date: shown.data?.['create_date'] },
    };
    expect(shown).toEqual(answer['data'] === undefined ? answer : sameDate);
  });
});

/** In the words of the page, what an update with a field's null does. */
function whatNullDoes(field: FieldName): string {
  try {
    return field in readUpdate({ [field]: null }, sampleAccount).fields ? 'removes it' : 'changes nothing';
  } catch {
    return 'refused';
  }
}

describe("README's tables", () => {
  it('name every error with its status', () => {
    const shown = tableAfter('Errors, from').map(([status, code = '']) => [code.replaceAll('`', ''), Number(status)]);
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status])),
    );
  });

  it('tell of every field what it is when it is left out, and what null does', () => {
    const rows = tableAfter('An item is a product or a service').map((cells) => cells.map((cell) => cell.trim()));
    expect(rows.map(([field]) => field)).toEqual(fieldNames.map((field) => `\`${field}\``));
    const created = readCreate({ name: 'Chair' }, sampleAccount);
    for (const [index, field] of fieldNames.entries()) {
      const [, , initial = '', onNull = ''] = rows[index] ?? [];
      const [, json] = /^`([^`]*)`/.exec(initial) ?? [];
      if (json === undefined)
        expect([field, initial]).toEqual([field, expect.stringMatching(/required|the account's default/)]);
      else expect([field, created[field]]).toEqual([field, JSON.parse(json)]);
      expect([field, onNull.split(',')[0]]).toEqual([field, whatNullDoes(field)]);
    }
    expect(readme).toContain(
      `has the units ${[...initialUnits].map(([unit, decimals]) => `\`${unit}\` ${decimals}`).join(', ')},`,
    );
  });

  it('give the limits that the code holds', () => {
    const { name, unit, identifier, description, tag, value, tax, metadata, body } = limits;
    expect(tableAfter('Limits, from')).toEqual([
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
      ['`metadata` levels', `${metadata.levels}`],
      ['`metadata` values in one request, at any level', `${metadata.valuesPerRequest}`],
      ['request body', `${body} bytes`],
    ]);
  });

  it('link to files that are there', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(10);
    for (const path of links)
      expect(() => readFileSync(new URL(`../../${path}`, import.meta.url)), path).not.toThrow(/ENOENT/);
  });

  it('name scripts that are there', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const named = [...readme.matchAll(/npm run ([a-z][a-z-]*)/g)].map(([, script]) => script);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});
