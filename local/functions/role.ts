import type { FunctionDefinition, KeyCondition, TableStatement } from '../template/readFunctions.ts';

/** One action of a request to DynamoDB, for which its role needs a right. */
export interface TableCall {
  readonly action: string;
  readonly resource: string;
  readonly keys: readonly string[];
}

type Attributes = Readonly<Record<string, { readonly S?: string }>>;

interface RequestPart {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Attributes;
}

type RequestBody = RequestPart & {
  readonly TransactItems?: readonly Readonly<Record<string, RequestPart>>[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Attributes[] }>>;
};

/**
 * What a request does.
 * @param operation such as `TransactWriteItems`
 * @param partitionKey the name of the tables' partition key
 */
export function callsOf(operation: string, body: RequestBody, partitionKey: string): TableCall[] {
  const keyOf = (attributes: Attributes): string => attributes[partitionKey]?.S ?? '';
  const { TransactItems, RequestItems } = body;
  if (RequestItems !== undefined)
    return Object.entries(RequestItems).map(([resource, { Keys }]) => ({
      action: `dynamodb:${operation}`,
      resource,
      keys: Keys.map(keyOf),
    }));
  const callOf = (action: string, part: RequestPart): TableCall => {
    const { TableName, IndexName, KeyConditionExpression, ExpressionAttributeValues } = part;
    const resource = IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`;
    // The store names the partition key first.
    const value = /= (:\w+)/.exec(KeyConditionExpression ?? '')?.[1] ?? '';
    const queried = KeyConditionExpression === undefined ? [] : [ExpressionAttributeValues?.[value]?.S ?? ''];
    const key = part.Key ?? part.Item;
    return { action: `dynamodb:${action}`, resource, keys: key === undefined ? queried : [keyOf(key)] };
  };
  if (TransactItems === undefined) return [callOf(operation, body)];
  const calls = TransactItems.flatMap((parts) =>
    Object.entries(parts).map(([kind, part]) => callOf(`${kind}Item`, part)),
  );
  // IAM may evaluate all keys of a transaction together.
  return calls.map((call) => ({
    ...call,
    keys: calls.filter(({ resource }) => resource === call.resource).flatMap(({ keys }) => keys),
  }));
}

/** The statements of a role that apply to a call. */
export const statementsFor = (statements: readonly TableStatement[], call: TableCall): TableStatement[] =>
  statements.filter(({ Action, Resource, Condition }) => {
    const isIn = (operator: KeyCondition) => (key: string) =>
      (Condition?.[operator]?.['dynamodb:LeadingKeys'] ?? ['*']).some((pattern) => matches(pattern, key));
    const isInAny =
      Condition?.['ForAnyValue:StringLike'] === undefined || call.keys.some(isIn('ForAnyValue:StringLike'));
    const isAbout = Action.includes(call.action) && Resource === call.resource;
    return isAbout && isInAny && call.keys.every(isIn('ForAllValues:StringLike'));
  });

/** Why a call is not allowed, in AWS's words. Undefined if it is. */
export function refusalOf({ id, tableStatements }: FunctionDefinition, call: TableCall): string | undefined {
  const effects = statementsFor(tableStatements, call).map(({ Effect }) => Effect);
  if (effects.includes('Allow') && !effects.includes('Deny')) return undefined;
  const why = effects.includes('Deny')
    ? 'with an explicit deny in an identity-based policy'
    : `because no identity-based policy allows the ${call.action} action`;
  return `User: ${id} is not authorized to perform: ${call.action} on resource: ${call.resource} ${why}`;
}

/** Whether a text matches a pattern of IAM: `*` matches any characters, slashes included, and `?` matches one. */
export function matches(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}
