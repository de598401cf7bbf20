import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { InvalidField } from '../item/errors.ts';
import { validationFailed } from '../item/errors.ts';

/** A parameter of a query string. */
interface Parameter {
  /** For those who call the API. */
  readonly description: string;
  /** What is accepted as the text that is sent, and what it means. */
  readonly schema: z.ZodMiniType;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** What was sent. A parameter that was not is left out. */
export type ParameterValues<Declared extends Parameters> = {
  readonly [Name in keyof Declared]?: z.output<Declared[Name]['schema']>;
};

/**
 * The parameters of a request.
 * @param declared all that the operation has
 * @throws CatalogError `VALIDATION_FAILED` with those that are malformed or sent more than once, in the order of their
 * declaration, and then those that the operation does not have
 */
export function readParameters<Declared extends Parameters>(
  event: APIGatewayProxyEvent,
  declared: Declared,
): ParameterValues<Declared> {
  const sent = sentValues(event);
  const values: Record<string, unknown> = {};
  const invalid: InvalidField[] = [];
  for (const [name, { schema }] of Object.entries(declared)) {
    const texts = sent.get(name);
    if (texts === undefined) continue;
    const { error, data } = schema.safeParse(texts[0]);
    if (texts.length !== 1) invalid.push({ field: name, reason: 'must be sent only once' });
    else if (error) invalid.push({ field: name, reason: error.issues[0]?.message ?? 'is not valid' });
    else values[name] = data;
  }
  const unknown = [...sent.keys()].filter((name) => !Object.hasOwn(declared, name));
  refuseParameters([
    ...invalid,
    ...unknown.map((field) => ({ field, reason: 'is not a parameter of this operation' })),
  ]);
  // Each member is what the parameter of its name gave, which no type can follow through the loop.
  return values as ParameterValues<Declared>;
}

/** @throws CatalogError `VALIDATION_FAILED`, if there are any */
export function refuseParameters([first, ...others]: readonly InvalidField[]): void {
  if (first !== undefined) throw validationFailed([first, ...others]);
}

/** By name, as often as it was sent, in whichever form the event has them. */
function sentValues({ multiValueQueryStringParameters, queryStringParameters }: APIGatewayProxyEvent) {
  const all: Readonly<Record<string, unknown>> = multiValueQueryStringParameters ?? queryStringParameters ?? {};
  return new Map(Object.entries(all).map(([name, values]) => [name, [values].flat()]));
}
