import { Template } from 'aws-cdk-lib/assertions';
import type { Stack } from 'aws-cdk-lib/core';
import { createApp } from '../../infra/catalogApp.ts';
import { CatalogStack } from '../../infra/catalogStack.ts';
import { type EnvironmentName, type Settings, settingsOf, stackName } from '../../infra/environments.ts';

interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON of which each test knows its part.
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** What was synthesised, by what decides it. Tests only read templates, and most look at the same few. */
const synthesised = new Map<string, Template>();

function synthesisedBy(synthesise: () => Stack, ...decisive: readonly unknown[]): Template {
  const named = (_: string, value: unknown) => (value === undefined ? 'not set' : value);
  const key = JSON.stringify([process.env['CDK_CONTEXT_JSON'], ...decisive], named);
  const template = synthesised.get(key) ?? Template.fromStack(synthesise());
  synthesised.set(key, template);
  return template;
}

/**
 * The template of an environment, synthesised without bundling.
 * @param settings that replace those of the environment
 */
export const templateOf = (environment: EnvironmentName, settings: Partial<Settings> = {}): Template =>
  synthesisedBy(
    () => createApp({ bundling: false, environment, settings }).node.findChild(stackName(environment)) as Stack,
    environment,
    settings,
  );

/** The template of a stack as dev has it, but with some settings changed. */
export const templateWith = (changed: Partial<Settings>): Template =>
  synthesisedBy(() => {
    const app = createApp({ bundling: false, environment: 'dev' });
    const settings = settingsOf('dev', { ...settingsOf('dev'), ...changed });
    return new CatalogStack(app, 'changed', 'dev', settings, { atOnce: false, commit: 'unknown' });
  }, changed);

/** Every resource of the template, or of one type, by logical id. */
export function resourcesOf(template: Template, type?: string): [string, Resource][] {
  const all = Object.entries(template.toJSON()['Resources'] as Record<string, Resource>);
  return all.filter(([, resource]) => type === undefined || resource.Type === type);
}

export const propertiesOf = (template: Template, type: string): Resource['Properties'][] =>
  resourcesOf(template, type).map(([, resource]) => resource.Properties);

/** The properties of the one resource of a type, or of a logical id. */
export function theOnly(template: Template, typeOrId: string): Resource['Properties'] {
  const found = resourcesOf(template).filter(([id, resource]) => id === typeOrId || resource.Type === typeOrId);
  if (found.length !== 1) throw new Error(`${found.length} resources are ${typeOrId}`);
  return found[0]?.[1].Properties;
}

/** The logical id of the function that a reference means, also when it means the function's alias. */
export function functionOf(template: Template, reference: { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] }) {
  return reference.Ref === undefined ? reference['Fn::GetAtt']?.[0] : theOnly(template, reference.Ref).FunctionName.Ref;
}

/** What a role may do by the policies that are attached to it. */
export const statementsOf = (template: Template, role: string): Resource['Properties'][] =>
  propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ Roles, PolicyDocument }) =>
    Roles[0].Ref === role ? PolicyDocument.Statement : [],
  );
