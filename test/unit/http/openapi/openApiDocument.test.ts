import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { permissions } from '../../../../lib/access/permissions.ts';
import { openApiDocument } from '../../../../lib/http/openapi/openApiDocument.ts';
import { operations } from '../../../../lib/http/openapi/operations.ts';
import { routes } from '../../../../lib/http/routes.ts';
import { errors } from '../../../../lib/item/errors.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { violations } from '../../../support/contract.ts';

const text = readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8');

type Media = { schema: unknown; examples: Record<string, { value: unknown }> };
type Body = { content: Record<string, Media> };
type Documented = { operationId: string; requestBody?: Body; responses: Record<string, Body & { $ref?: string }> };

const { paths, components } = JSON.parse(text) as {
  paths: Record<string, Record<string, Documented>>;
  components: { responses: Record<string, Body> };
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
  it('is up to date (npm run openapi)', () => {
    expect(text).toBe(`${JSON.stringify(openApiDocument(packageJson.version), undefined, 2)}\n`);
  });

  it('has an operation for each route, by name', () => {
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
    );
    const listed = Object.entries(routes).map(([name, { method, path }]) => [name, method, path]);
    expect(documented.sort()).toEqual(listed.sort());
  });

  it('has every error of each operation', () => {
    const shown = new Set(examples.map(([, value]) => (value as { error?: { code: string } }).error?.code));
    // NOT_FOUND is the answer where there is no operation.
    expect(Object.keys(errors).filter((code) => !shown.has(code))).toEqual(['NOT_FOUND']);
  });

  it('names only existing permissions', () => {
    for (const { permission } of Object.values(operations))
      expect(permission === undefined || permissions.includes(permission)).toBe(true);
  });

  it.each(examples)('%s: the example is valid', (_name, value, schema) => {
    expect(violations(value, 'closed', ...schema)).toEqual([]);
  });
});
