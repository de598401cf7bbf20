import { Template } from 'aws-cdk-lib/assertions';
import type { Stack } from 'aws-cdk-lib/core';
import { createApp } from '../../infra/catalogApp.ts';
import { type EnvironmentName, type Settings, stackName } from '../../infra/environments.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of which each test knows its part.
export type Json = any;

interface Resource {
  readonly Type: string;
  readonly Properties: Json;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** What whoever takes the service over may fill in, so that tests of the template do not depend on it. */
export const notFilledIn = {
  account: undefined,
  tags: undefined,
  region: 'eu-central-1',
  tableKey: undefined,
  eventBus: undefined,
  identity: undefined,
  backup: undefined,
  customDomain: undefined,
} satisfies Partial<Settings>;

/** What was synthesised, by what decides it. Tests only read templates, and most look at the same few. */
const synthesised = new Map<string, Template>();

/**
 * The template of an environment, synthesised without bundling.
 * @param changed settings that replace those of the environment, of which those in {@link notFilledIn} are not used
 */
export function templateOf(environment: EnvironmentName, changed: Partial<Settings> = {}): Template {
  const named = (_: string, value: unknown) => (value === undefined ? 'not set' : value);
  const key = JSON.stringify([process.env['CDK_CONTEXT_JSON'], environment, changed], named);
  const stack = () =>
    createApp({ bundling: false, environment, settings: { ...notFilledIn, ...changed } }).node.findChild(
      stackName(environment),
    ) as Stack;
  const template = synthesised.get(key) ?? Template.fromStack(stack());
  synthesised.set(key, template);
  return template;
}

/** Every resource of the template, or of one type, by logical id. */
export function resourcesOf(template: Template, type?: string): [string, Resource][] {
  const all = Object.entries(template.toJSON()['Resources'] as Record<string, Resource>);
  return all.filter(([, resource]) => type === undefined || resource.Type === type);
}

/** The types of a template that begin with a text, each once. */
export const typesOf = (template: Template, begin: string): string[] => [
  ...new Set(resourcesOf(template).flatMap(([, { Type }]) => (Type.startsWith(begin) ? Type : []))),
];

export const propertiesOf = (template: Template, type: string): Json[] =>
  resourcesOf(template, type).map(([, resource]) => resource.Properties);

/** The properties of the one resource of a type, or of a logical id. */
export function theOnly(template: Template, typeOrId: string): Json {
  const found = resourcesOf(template).filter(([id, resource]) => id === typeOrId || resource.Type === typeOrId);
  if (found.length !== 1) throw new Error(`${found.length} resources are ${typeOrId}`);
  return found[0]?.[1].Properties;
}

/** The logical id of the function that a reference means, also when it means the function's alias. */
export function functionOf(template: Template, reference: { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] }) {
  const { Ref: id = reference['Fn::GetAtt']?.[0] ?? '' } = reference;
  return theOnly(template, id).FunctionName?.Ref ?? id;
}

/** What a function may do by the policies that are attached to its role. */
export function statementsOf(template: Template, id: string): Json[] {
  const [role] = theOnly(template, id).Role['Fn::GetAtt'];
  const { ManagedPolicyArns, Policies } = theOnly(template, role);
  if (ManagedPolicyArns ?? Policies) throw new Error(`The role of ${id} has policies that are not attached.`);
  return propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ Roles, PolicyDocument }) =>
    Roles[0].Ref === role ? PolicyDocument.Statement : [],
  );
}
