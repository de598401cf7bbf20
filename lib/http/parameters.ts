import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type InvalidField, throwIfAny } from '../item/errors.ts';
import { unknownNames } from '../item/violation.ts';
import { violationIn } from '../item/violationIn.ts';
import { type Reads, reads } from './middleware.ts';

export type QueryEvent = Pick<APIGatewayProxyEvent, 'multiValueQueryStringParameters' | 'queryStringParameters'>;

interface Parameter {
  /** Validates the text that was sent and converts it. */
  readonly schema: z.ZodMiniType;
  readonly notWith?: readonly string[];
  /** Whether it may be sent several times. Then its schema takes a list. */
  readonly isList?: boolean;
}

type Parameters = Readonly<Record<string, Parameter>>;

/** The values that were sent. Parameters that were not sent are absent. */
type ParameterValues<Declared extends Parameters> = {
  readonly [Name in keyof Declared]?: z.output<Declared[Name]['schema']>;
};

/** The query of the request. @param declared all parameters of the operation */
export const query = <Declared extends Parameters>(
  declared: Declared,
): Reads<{ readonly query: ParameterValues<Declared> }> =>
  reads((event) => ({ query: readParameters(event, declared) }));

/**
 * @throws CatalogError `VALIDATION_FAILED` with the parameters that are malformed, were sent more than once or with
 * others that exclude them, in declaration order, followed by those that the operation does not have
 */
export function readParameters<Declared extends Parameters>(
  event: QueryEvent,
  declared: Declared,
): ParameterValues<Declared> {
  const { multiValueQueryStringParameters: multiple, queryStringParameters: single } = event;
  const sent = new Map(Object.entries(multiple ?? single ?? {}).map(([name, values]) => [name, [values].flat()]));
  const values: Record<string, unknown> = {};
  const invalid: InvalidField[] = [];
  for (const [name, { schema, notWith = [], isList = false }] of Object.entries(declared)) {
    const all = sent.get(name);
    if (all === undefined) continue;
    const { error, data } = schema.safeParse(isList ? all : all[0]);
    const excluding = notWith.filter((other) => sent.has(other));
    if (excluding.length > 0)
      invalid.push({
        field: name,
        reason: `cannot be sent together with ${excluding.join(' or ')}`,
        rule: 'exclusive',
      });
    else if (!isList && all.length !== 1)
      invalid.push({ field: name, reason: 'must be sent only once', rule: 'repeated' });
    else if (error) invalid.push(...error.issues.map((issue) => ({ field: name, ...violationIn(issue) })));
    else values[name] = data;
  }
  throwIfAny([...invalid, ...unknownNames(sent.keys(), declared, 'is not a parameter of this operation')]);
  // Each value has the type of its parameter, but TypeScript cannot infer that through the loop.
  return values as ParameterValues<Declared>;
}
