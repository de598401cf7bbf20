import type { VersionedFunction } from '../../cli/liveVersions.ts';
import { CommandError } from '../../cli/print.ts';
import type { TemplateJson } from './lostResources.ts';

const resourcesIn = ({ Resources }: TemplateJson, type: string) =>
  Object.values(Resources).filter(({ Type }) => Type === `AWS::ApiGateway::${type}`);

/** Whether requests need the API key of a share. */
const isEnforced = (template: TemplateJson): boolean =>
  resourcesIn(template, 'Method').some(({ Properties }) => Properties?.['ApiKeyRequired'] === true);

/** Whether there are such keys, which the authorizer then returns. */
const hasShares = (template: TemplateJson): boolean => resourcesIn(template, 'UsagePlan').length > 0;

/**
 * Refuses a deployment in which requests need an API key while an authorizer is live that returns none, because API
 * Gateway would answer them with 403.
 * @returns for how many seconds a result of the authorizer without a key may be cached, if requests begin to need one
 * @throws CommandError that says what to deploy first
 */
export function requireShares(
  before: TemplateJson,
  after: TemplateJson,
  functions: readonly VersionedFunction[],
): number {
  const setting = 'throttling.shares.enforced';
  if (isEnforced(before) && !hasShares(after))
    throw new CommandError(`Callers would get 403, because they need a share: first deploy with ${setting} false.`);
  if (isEnforced(before) || !isEnforced(after) || resourcesIn(before, 'Method').length === 0) return 0;
  const authorizer = functions.find(({ name }) => name === 'authorizer');
  if (!hasShares(before) || authorizer?.live.FunctionVersion !== authorizer?.deployed)
    throw new CommandError(
      `Callers would get 403, because the live authorizer gives them no share: first deploy with ${setting} false.`,
    );
  const [cache] = resourcesIn(before, 'Authorizer');
  return Number(cache?.Properties?.['AuthorizerResultTtlInSeconds']);
}
