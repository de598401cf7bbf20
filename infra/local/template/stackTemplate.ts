import * as z from 'zod/mini';
import { localEnvironment } from '../../cli/localCredentials.ts';
import type { FunctionDefinition } from './deployment.ts';

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) }),
  ),
});

/** A value of a property that may be a reference, to be given to {@link Template.resolve}. */
export const reference = z.unknown();

const pseudoParameters = new Map([
  ['AWS::Partition', 'aws'],
  ['AWS::Region', localEnvironment.AWS_REGION],
  ['AWS::AccountId', '000000000000'],
]);

/** A synthesised CloudFormation template whose references lead to what runs locally. */
export class Template {
  readonly region = pseudoParameters.get('AWS::Region') as string;
  readonly accountId = pseudoParameters.get('AWS::AccountId') as string;
  readonly #resources: z.infer<typeof templateSchema>['Resources'];
  readonly #tableName: string;

  /**
   * @param source the template, as parsed JSON
   * @param tableName what a reference to the table becomes
   */
  constructor(source: unknown, tableName: string) {
    this.#resources = z.parse(templateSchema, source).Resources;
    this.#tableName = tableName;
  }

  /** The types that the template's resources have. */
  get types(): Set<string> {
    return new Set(Object.values(this.#resources).map((resource) => resource.Type));
  }

  /**
   * All resources of a type, by logical id.
   * @param type as `AWS::ApiGateway::Method`
   * @param schema the properties that the local run can honour
   * @throws an error that names the resource and the property that it cannot
   */
  all<T>(type: string, schema: z.ZodMiniType<T>): Map<string, T> {
    const found = Object.entries(this.#resources).filter(([, resource]) => resource.Type === type);
    return new Map(found.map(([id, { Properties }]) => [id, this.#parse(type, id, schema, Properties)]));
  }

  /**
   * The only resource of a type.
   * @throws an error if there is none, or another one
   */
  only<T>(type: string, schema: z.ZodMiniType<T>): { readonly id: string; readonly properties: T } {
    const [first, ...others] = this.all(type, schema);
    if (first === undefined || others.length > 0) throw new Error(`The template must have one ${type}.`);
    return { id: first[0], properties: first[1] };
  }

  /**
   * The text that a value stands for. A reference to the table is its local name, one to any other resource its logical id.
   * @param value a string, or a CloudFormation function
   * @throws an error for a function or a name that has no local meaning
   */
  resolve(value: unknown): string {
    if (typeof value === 'string') return value;
    const [[name, argument] = [], ...others] = Object.entries(value ?? {});
    if (others.length === 0 && name === 'Ref') return this.#reference(argument);
    if (others.length === 0 && name === 'Fn::GetAtt') return this.#attribute(argument);
    if (others.length === 0 && name === 'Fn::Join') return this.#join(argument);
    if (others.length === 0 && name === 'Fn::Select') return this.#select(argument);
    throw new Error(`The local gateway cannot resolve ${JSON.stringify(value)} of the template.`);
  }

  /**
   * The function that API Gateway is told to invoke.
   * @param uri the address of the invocation, which holds the function's ARN
   * @param functions all functions of the template
   * @throws an error if it is none of them
   */
  invokedFunction(uri: unknown, functions: readonly FunctionDefinition[]): FunctionDefinition {
    const address = this.resolve(uri);
    const invoked = functions.find(({ arn }) => address.endsWith(`/functions/${arn}/invocations`));
    if (invoked === undefined) throw new Error(`The local gateway cannot invoke ${address} of the template.`);
    return invoked;
  }

  #reference(name: string): string {
    const resource = this.#resources[name];
    if (resource?.Type === 'AWS::DynamoDB::Table') return this.#tableName;
    const text = resource === undefined ? pseudoParameters.get(name) : name;
    if (text === undefined) throw new Error(`The local gateway cannot resolve the reference ${name} of the template.`);
    return text;
  }

  #attribute([id, name]: readonly [string, string]): string {
    const type = this.#resources[id]?.Type;
    if (type === 'AWS::Lambda::Function' && name === 'Arn') {
      return `arn:aws:lambda:${this.region}:${this.accountId}:function:${id}`;
    }
    if (type === 'AWS::ApiGateway::RestApi' && name === 'RootResourceId') return `${id}.root`;
    throw new Error(`The local gateway cannot resolve the attribute ${id}.${name} of the template.`);
  }

  #join([separator, parts]: readonly [string, readonly unknown[]]): string {
    return parts.map((part) => this.resolve(part)).join(separator);
  }

  /** The one form that the CDK makes: a part of a text that is split. */
  #select([index, list]: readonly [number, { readonly 'Fn::Split': readonly [string, unknown] }]): string {
    const [separator, text] = list['Fn::Split'];
    return this.resolve(text).split(separator)[index] ?? '';
  }

  #parse<T>(type: string, id: string, schema: z.ZodMiniType<T>, properties: unknown): T {
    const parsed = z.safeParse(schema, properties);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const path = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys : [])].join('.');
    throw new Error(`The local gateway does not support ${path} as it is in ${type} ${id} of the template.`);
  }
}
