import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { operations } from '../../../lib/http/operations.ts';
import type { ApiRequest } from './apiRequests.ts';
import type { ApiResponse } from './testApi.ts';

type Node = Readonly<Record<string, unknown>>;

const published: Node = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));

/**
 * Rejects members that a schema does not name. The published schemas allow them, so that members can be added later.
 */
function close(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(close);
  const members = Object.entries(node).map(([name, member]) => [name, close(member)]);
  const isObject = 'properties' in node && !('additionalProperties' in node);
  return { ...Object.fromEntries(members), ...(isObject && { additionalProperties: false }) };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat(
  'date-time',
  (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/.test(text) && !Number.isNaN(Date.parse(text)),
);
ajv.addFormat('uri-reference', (text) => URL.canParse(text, 'http://any'));
ajv.addFormat('double', true);
ajv.addSchema(published, 'published').addSchema(close(published) as Node, 'closed');

const pointer = (...names: readonly string[]): string =>
  names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Each is compiled once, because compiling takes longer than a request. */
const validators = new Map<string, ValidateFunction>();

function validatorOf($ref: string): ValidateFunction {
  const validator = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validator);
  return validator;
}

/**
 * Validates a value against a schema of the document. Returns one line per error.
 * @param names the path from the document to the schema
 */
export function violations(value: unknown, strictness: 'published' | 'closed', ...names: readonly string[]): string[] {
  const validate = validatorOf(`${strictness}#${pointer(...names)}`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** A node of the document and the path to it. Follows references. */
function at(...names: readonly string[]): { node: Node | undefined; names: readonly string[] } {
  let node: unknown = published;
  for (const name of names) node = isNode(node) ? node[name] : undefined;
  const target = isNode(node) ? node['$ref'] : undefined;
  if (typeof target === 'string') return at(...target.slice(2).split('/'));
  return { node: isNode(node) ? node : undefined, names };
}

/** The document's path and method that a request matches. */
function operationOf({ method, path }: ApiRequest): readonly [string, string] | undefined {
  const [called = ''] = path.split('?');
  const segments = called.replace(/\/+$/, '').split('/');
  const fits = (route: string) => {
    const parts = route.split('/');
    return parts.length === segments.length && parts.every((part, i) => part.startsWith('{') || part === segments[i]);
  };
  const fitting = Object.values(operations).filter((each) => fits(each.path));
  // As in API Gateway, a fixed segment takes precedence over a parameter.
  const [first] = fitting.map(({ path: route }) => route).sort();
  const route = fitting.find((each) => each.path === first && each.method === method);
  return route && [route.path, route.method.toLowerCase()];
}

function headerViolations(headers: ApiResponse['headers'], names: readonly string[]): string[] {
  const declared = Object.keys(at(...names, 'headers').node ?? {});
  const undeclared = Object.keys(headers).filter((name) => name !== 'content-type' && !declared.includes(name));
  const wrong = declared.flatMap((name) => {
    const { node, names: header } = at(...names, 'headers', name);
    const value = headers[name];
    if (value === undefined) return node?.['required'] === true ? [`lacks the header ${name}`] : [];
    return violations(value, 'closed', ...header, 'schema').map((what) => `header ${name}: ${what}`);
  });
  return [...undeclared.map((name) => `has an undeclared header: ${name}`), ...wrong];
}

/** The parameters of a successful request that the document does not name. */
function undeclaredParameters({ path, headers }: ApiRequest, names: readonly string[]): string[] {
  const parameters = Object.keys(at(...names, 'parameters').node ?? {});
  const declared = parameters.map((index) => at(...names, 'parameters', index).node?.['name']);
  const isDeclared = (name: string) => declared.some((other) => String(other).toLowerCase() === name);
  const keys = Object.keys(headers ?? {}).filter((name) => name.toLowerCase() === 'idempotency-key');
  const sent = [...new URL(path, 'http://any').searchParams.keys(), ...keys.map((name) => name.toLowerCase())];
  return sent.filter((name) => !isDeclared(name)).map((name) => `has an undeclared parameter: ${name}`);
}

/**
 * What a response has that the document does not declare, or lacks that it promises, a line each. Requests to what is
 * no operation, preflights among them, are not in the document.
 */
export function contractViolations(request: ApiRequest, response: ApiResponse): string[] {
  const operation = operationOf(request);
  if (operation === undefined) return [];
  const { node, names } = at('paths', ...operation, 'responses', String(response.status));
  if (node === undefined) return [`has an undeclared status: ${response.status}`];
  const media = ['content', response.headers['content-type'] ?? ''];
  if (at(...names, ...media).node === undefined) return ['has an undeclared content type'];
  const content = JSON.parse(response.text);
  const body = violations(content, 'closed', ...names, ...media, 'schema');
  const code = content?.error?.code ?? '';
  if (!JSON.stringify(node).includes(code)) return [`has an undeclared code: ${code}`];
  const parameters = response.status < 300 ? undeclaredParameters(request, ['paths', ...operation]) : [];
  return [...parameters, ...headerViolations(response.headers, names), ...body.map((what) => `body${what}`)];
}
