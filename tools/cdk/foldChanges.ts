/** What a stack's changes are, as the CDK prints them, in the order in which a person should read them. */
interface FoldedChanges {
  /** Rights, replaced and removed resources, new ones, and outputs. */
  readonly first: string;
  /** The changes of each other resource. */
  readonly rest: readonly string[];
  /** How many those are, by type. */
  readonly summary: string;
}

/** A resource with what changes in it. */
const resource = /^\[[-+~]\] AWS::.*\n(?:(?!\[[-+~]\] |\s*(?:Outputs$|✨)).*\n)*/gm;

/** New ones take the place of others with every change of code or routes. */
const isPublished = (change: string): boolean => /^\[.\] AWS::(Lambda::Version|ApiGateway::Deployment) /.test(change);

/** Its place: replaced and removed ones, then new ones, and no place for those that are only changed. */
const placeOf = (change: string): number =>
  isPublished(change) ? -1 : [/^\[-\]|^\[~\].*replace/, /^\[\+\]/].findIndex((kind) => kind.test(change));

/**
 * Puts first what a person must see, and marks each right by whether it is gained (`+`) or lost (`-`): a `Deny` that is
 * added is lost, where the CDK only marks what is added.
 * @param diff the changes of one stack, from the CDK without colours
 */
export function foldChanges(diff: string): FoldedChanges {
  const changes = diff.match(resource) ?? [];
  const placed = [0, 1].flatMap((place) => changes.filter((change) => placeOf(change) === place));
  const rest = changes.filter((change) => placeOf(change) < 0);
  const [before = '', ...after] = diff.split(resource);
  const types = Map.groupBy(rest, (change) => change.split(' ')[1]);
  const counts = [...types].map(([type, of]) => `${of.length} ${type}`);
  return {
    first: [withLostRights(before), ...placed, ...after].join(''),
    rest,
    summary: rest.length === 0 ? '' : `Only changed, or published anew: ${counts.join(', ')}.`,
  };
}

const withLostRights = (rights: string): string =>
  rights.replaceAll(/^│ ([-+]) (?=│[^│]*│ Deny )/gm, (_, sign) => `│ ${sign === '+' ? '-' : '+'} `);
