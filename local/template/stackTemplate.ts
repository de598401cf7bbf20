import * as z from 'zod/mini';
import { localEnvironment } from '../../cli/localCredentials.ts';
import { CommandError } from '../../cli/print.ts';

/** The stack has a feature that the local service cannot emulate. The message names it for the stack's developer. */
export const unsupported = (what: string): CommandError =>
  new CommandError(`The local service does not support ${what}.`);

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) }),
  ),
});

/** A property that may be a reference. {@link StackTemplate.resolve} converts it to text. */
export const unresolved = z.unknown();

const pseudoParameters = new Map([
  ['AWS::Partition', 'aws'],
  ['AWS::Region', localEnvironment.AWS_REGION],
  ['AWS::AccountId', '000000000000'],
]);

/** A CloudFormation template whose references resolve to resources on this machine. */
export class StackTemplate {
  readonly region = pseudoParameters.get('AWS::Region') as string;
  readonly accountId = pseudoParameters.get('AWS::AccountId') as string;
  readonly #resources: z.infer<typeof templateSchema>['Resources'];
  readonly #tableName: string;

  /** @param source the template as parsed JSON @param tableName the table's name on this machine */
  constructor(source: unknown, tableName: string) {
    this.#resources = z.parse(templateSchema, source).Resources;
    this.#tableName = tableName;
  }

  get types(): Set<string> {
    return new Set(Object.values(this.#resources).map((resource) => resource.Type));
  }

  /**
   * All resources of a type, by logical id.
   * @param type such as `AWS::ApiGateway::Method`
   * @param schema the properties that the local service supports
   * @throws CommandError that names the resource and its unsupported property
   */
  all<T>(type: string, schema: z.ZodMiniType<T>): Map<string, T> {
    const found = Object.entries(this.#resources).filter(([, resource]) => resource.Type === type);
    return new Map(found.map(([id, { Properties }]) => [id, this.parse(type, id, schema, Properties)]));
  }

  /** The only resource of a type. @throws CommandError if there is not exactly one */
  only<T>(type: string, schema: z.ZodMiniType<T>): { readonly id: string; readonly properties: T } {
    const [first, ...others] = this.all(type, schema);
    if (first === undefined || others.length > 0) throw unsupported(`a template without exactly one ${type}`);
    return { id: first[0], properties: first[1] };
  }

  /**
   * Resolves a value to text. A reference to a table or its stream becomes the table's local name, one to a role its
   * logical id, a reference to an alias its function's ARN, and a reference to any other resource its logical id.
   * @param value a string or a CloudFormation intrinsic function
   * @throws CommandError if a function or a name cannot be resolved
   */
  resolve(value: unknown): string {
    if (typeof value === 'string') return value;
    const [[name, argument] = [], ...others] = Object.entries(value ?? {});
    if (others.length === 0 && name === 'Ref') return this.#reference(argument);
    if (others.length === 0 && name === 'Fn::GetAtt') return this.#attribute(argument);
    if (others.length === 0 && name === 'Fn::Join') return this.#join(argument);
    if (others.length === 0 && name === 'Fn::Select') return this.#select(argument);
    throw unsupported(`${JSON.stringify(value)} in the template`);
  }

  /**
   * The function that an integration or an authorizer invokes.
   * @param uri the invocation's URI, which contains the function's ARN
   * @throws CommandError if there is no such function
   */
  invokedFunction<T extends { readonly arn: string }>(uri: unknown, functions: readonly T[]): T {
    const address = this.resolve(uri);
    const invoked = functions.find(({ arn }) => address.endsWith(`/functions/${arn}/invocations`));
    if (invoked === undefined) throw unsupported(`invoking ${address}`);
    return invoked;
  }

  #reference(name: string): string {
    const resource = this.#resources[name];
    // An alias refers to a version of a function. This machine has only one version: the one in the template.
    if (resource?.Type === 'AWS::Lambda::Alias')
      return this.#functionArn(this.resolve(resource.Properties['FunctionName']));
    if (resource?.Type === 'AWS::DynamoDB::Table')
      return resource.Properties['TableName'] === undefined
        ? this.#tableName
        : this.resolve(resource.Properties['TableName']);
    const text = resource === undefined ? pseudoParameters.get(name) : name;
    if (text === undefined) throw unsupported(`the reference ${name} in the template`);
    return text;
  }

  #attribute([id, name]: readonly [string, string]): string {
    const type = this.#resources[id]?.Type;
    if (type === 'AWS::Lambda::Function' && name === 'Arn') return this.#functionArn(id);
    if (type === 'AWS::DynamoDB::Table' && (name === 'Arn' || name === 'StreamArn')) return this.#reference(id);
    if (type === 'AWS::IAM::Role' && name === 'Arn') return id;
    if (type === 'AWS::ApiGateway::RestApi' && name === 'RootResourceId') return `${id}.root`;
    throw unsupported(`the attribute ${id}.${name} in the template`);
  }

  #functionArn(id: string): string {
    return `arn:aws:lambda:${this.region}:${this.accountId}:function:${id}`;
  }

  #join([separator, parts]: readonly [string, readonly unknown[]]): string {
    return parts.map((part) => this.resolve(part)).join(separator);
  }

  /** Supports only the form that the CDK generates: one part of a split text. */
  #select([index, list]: readonly [number, { readonly 'Fn::Split': readonly [string, unknown] }]): string {
    const [separator, text] = list['Fn::Split'];
    return this.resolve(text).split(separator)[index] ?? '';
  }

  /** @throws CommandError that names the resource and what is not supported in it */
  parse<T>(type: string, id: string, schema: z.ZodMiniType<T>, properties: unknown): T {
    const parsed = z.safeParse(schema, properties);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const path = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys : [])].join('.');
    throw unsupported(`the property ${path} of the ${type} ${id}`);
  }
}
