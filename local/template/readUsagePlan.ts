import * as z from 'zod/mini';
import { type StackTemplate, unresolved, unsupported } from './stackTemplate.ts';

const limitSchema = z.strictObject({ RateLimit: z.number(), BurstLimit: z.number() });

const planSchema = z.strictObject({
  Throttle: limitSchema,
  ApiStages: z.tuple([
    z.strictObject({
      ApiId: z.optional(z.unknown()),
      Stage: z.optional(z.unknown()),
      Throttle: z._default(z.record(z.string(), limitSchema), {}),
    }),
  ]),
  UsagePlanName: z.optional(z.unknown()),
  Tags: z.optional(z.unknown()),
});

const keySchema = z.strictObject({
  Value: z.string(),
  Enabled: z.literal(true),
  Name: z.optional(z.unknown()),
  Tags: z.optional(z.unknown()),
});

const memberSchema = z.object({ KeyId: unresolved });

/** Requests per second, and how many more may come at once. */
export type Limit = z.infer<typeof limitSchema>;

export type UsagePlan = ReturnType<typeof readUsagePlan>;

/** Reads a template's usage plan. If there is none, no request has a key. */
export function readUsagePlan(template: StackTemplate) {
  const [plan, another] = template.all('AWS::ApiGateway::UsagePlan', planSchema).values();
  if (another !== undefined) throw unsupported('a second usage plan');
  const keys = template.all('AWS::ApiGateway::ApiKey', keySchema);
  const members = [...template.all('AWS::ApiGateway::UsagePlanKey', memberSchema).values()];
  return {
    /** The values of its keys. */
    keys: new Set(members.flatMap(({ KeyId }) => keys.get(template.resolve(KeyId))?.Value ?? [])),
    limit: plan?.Throttle ?? { RateLimit: 0, BurstLimit: 0 },
    /** Instead of that limit, by `<path>/<method>`. */
    limitsOfMethods: plan?.ApiStages[0].Throttle ?? {},
  };
}
