import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../lib/openapi/openApiDocument.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { violations } from '../../support/api/contract.ts';

const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');

type Media = { schema: unknown; examples: Record<string, { value: unknown }> };
type Body = { content: Record<string, Media> };
type Documented = { operationId: string; requestBody?: Body; responses: Record<string, Body & { $ref?: string }> };

const { paths, components } = JSON.parse(text) as {
  paths: Record<string, Record<string, Documented>>;
  components: { responses: Record<string, Body>; schemas: Record<string, object> };
};

/** Every example with the way to its schema. */
const examplesIn = ({ content }: Body, ...way: readonly string[]) =>
  Object.entries(content).flatMap(([type, { examples }]) =>
    Object.entries(examples).map(
      ([name, { value }]) => [[...way, name].join(' '), value, [...way, 'content', type, 'schema']] as const,
    ),
  );

const examples = [
  ...Object.entries(components.responses).flatMap(([name, response]) =>
    examplesIn(response, 'components', 'responses', name),
  ),
  ...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) => [
      ...(requestBody ? examplesIn(requestBody, 'paths', path, method, 'requestBody') : []),
      ...Object.entries(responses)
        .filter(([, { $ref }]) => $ref === undefined)
        .flatMap(([status, response]) => examplesIn(response, 'paths', path, method, 'responses', status)),
    ]),
  ),
];

describe('openapi.json', () => {
  it('is up to date (npm run generate -- contract)', () => {
    // Not toBe, whose output would show the whole difference.
    expect(text === `${JSON.stringify(openApiDocument(packageJson.version), undefined, 2)}\n`).toBe(true);
  });

  it('has no schema that contains itself, because some generators drop it and all that refer to it', () => {
    const within = (name: string, found = new Set<string>()): ReadonlySet<string> => {
      for (const [, inner = ''] of JSON.stringify(components.schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g))
        if (!found.has(inner)) within(inner, found.add(inner));
      return found;
    };
    expect(Object.keys(components.schemas).filter((name) => within(name).has(name))).toEqual([]);
  });

  it('has no number that a generator may take for one of single precision', () => {
    const numbers: { enum?: unknown; format?: string }[] = [];
    JSON.parse(text, (_name, node) => {
      if (node?.type === 'number') numbers.push(node);
      return node;
    });
    expect(numbers.filter((schema) => schema.enum === undefined && schema.format !== 'double')).toEqual([]);
  });

  it('has no exclusive bound, for which a generator for Go fails', () => {
    expect(text).not.toMatch(/"exclusive(Min|Max)imum"/);
  });

  it.each(examples)('%s: the example is valid', (_name, value, schema) => {
    expect(violations(value, 'closed', ...schema)).toEqual([]);
  });
});
