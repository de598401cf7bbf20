export interface OpenApiComponents {
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * The components of a document, such as `schemas/Item`, that its next version no longer has under the same name.
 * oasdiff compares only what they contain, but generated clients name types and functions after them.
 */
export const removedComponents = (before: OpenApiComponents, after: OpenApiComponents): string[] =>
  namesOf(before).filter((name) => !namesOf(after).includes(name));

const namesOf = ({ components }: OpenApiComponents): string[] =>
  Object.entries(components).flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`));
