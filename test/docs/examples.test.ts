import { describe, expect, it } from 'vitest';
import { operations } from '../../lib/http/operations.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { newItem } from '../../lib/openapi/examples.ts';
import { create } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { page, pagePaths } from '../support/programs/pages.ts';

/** The curl lines of a page, each with the response that follows it. */
const examplesOf = (path: string) =>
  [...page(path).matchAll(/```sh\n(curl [\s\S]*?)```[\s\S]*?```json\n([\s\S]*?)```/g)].map(
    ([, command = '', answer = '']) => ({ path, command, answer: JSON.parse(answer) as JsonObject }),
  );

/** Those of README come first: the other pages go on from them. */
const examples = pagePaths.flatMap(examplesOf);

/** Without the times, which are those of the run, and what the page leaves out where it has `…`. */
const undated = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) => {
    if (['create_date', 'updated_at'].includes(name)) return 'a time';
    const { '…': omitted, ...others } = Object(value);
    return omitted === undefined ? value : expect.objectContaining(others);
  });

/** What a shell would make of a curl line of the page. */
function parseCurl(
  command: string,
  variables: { readonly TOKEN: string; readonly URL: string },
): { method: string; url: string; headers: Record<string, string>; body: string | null } {
  const text = Object.entries(variables).reduce((all, [name, value]) => all.replace(`$${name}`, value), command);
  const words = [...text.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  );
  const after = (option: string) => words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []));
  return {
    method: after('-X')[0] ?? 'GET',
    url: words.find((word) => word.startsWith('http')) ?? '',
    headers: Object.fromEntries(after('-H').map((header) => header.split(': ') as [string, string])),
    body: after('-d')[0] ?? null,
  };
}

const api = await startTestApi();

describe("the pages' examples, run in order", () => {
  it('are a create and an update in README, and the five calls and an error on the API page', () => {
    const shown = examples.map(({ path, command }) => [path, /-X (\w+)/.exec(command)?.[1] ?? 'GET']);
    expect(shown).toEqual([
      ['README.md', 'POST'],
      ['README.md', 'PUT'],
      ...['POST', 'PUT', 'GET', 'GET', 'POST', 'POST'].map((method) => ['docs/api.md', method]),
    ]);
  });

  it('include every curl command on the pages', () => {
    const commands = pagePaths.flatMap((path) => page(path).match(/^curl /gm) ?? []);
    expect(commands).toHaveLength(examples.length);
  });

  it.each(examples)('$path %#: returns what the page shows', async ({ command, answer }) => {
    const variables = { TOKEN: api.tokens.editor, URL: `${api.url}${operations.createItem.path}` };
    const { method, url, headers, body } = parseCurl(command, variables);
    const response = await fetch(url, { method, body, headers });
    expect(undated(await response.json())).toEqual(undated(answer));
  });

  it('can be followed by the create that the /docs page fills in, any number of times', async () => {
    const statuses = [await api.send(create(newItem)), await api.send(create(newItem))].map(({ status }) => status);
    expect(statuses).toEqual([201, 201]);
  });
});
