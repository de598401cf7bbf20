import * as z from 'zod';
import { anyOrigin } from '../lib/http/cors.ts';

const days = z.literal([
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]);

const origin = z
  .string()
  .regex(
    /^https?:\/\/[a-z0-9.-]+(:\d+)?$/,
    `must be an origin such as https://app.example.com, or ${anyOrigin} alone for any`,
  );

/** Everything in which environments differ. */
const settings = z.strictObject({
  /** The twelve digits of the AWS account; left out, the account of whoever deploys. */
  account: z
    .string()
    .regex(/^\d{12}$/, 'must be twelve digits')
    .optional(),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-central-1'),
  /** True: table, backups and logs outlive the stack, and neither table nor stack can be deleted before that is undone. */
  keepsData: z.boolean(),
  /** For how many days the table can be restored to any second. */
  recoveryDays: z.int().min(1).max(35),
  contributorInsights: z.boolean(),
  /** For how many days the logs of functions and API are kept. */
  logDays: days,
  /**
   * Requests a second, in the long run and at once, of all callers together. At once no more than a function may have
   * instances: beyond those Lambda refuses, and callers would get 5xx instead of 429.
   */
  throttling: z.strictObject({ rate: z.int().min(1), burst: z.int().min(1) }),
  /** Which web pages may call the API: their origins, or {@link anyOrigin} alone. */
  corsOrigins: z.union([z.tuple([z.literal(anyOrigin)]), z.array(origin).min(1)]),
  /** Where alarms are sent by email; left out, they are only seen in the console. */
  alarmEmail: z.email().optional(),
  /** Memory of each function in MB; its share of a CPU grows with it. */
  memory: z.int().min(128).max(10_240),
  /** How many instances each function may have and always can; left out, what the account has left. */
  reservedConcurrency: z.int().min(1).optional(),
  /** Requests that one address may send in five minutes; left out, there is no web application firewall. */
  firewallRate: z.int().min(10).optional(),
  /** An own domain, with the ARN of its certificate in the same region; left out, the address that API Gateway gives. */
  customDomain: z
    .strictObject({
      name: z.hostname(),
      certificate: z.string().regex(/^arn:aws[a-z-]*:acm:/, 'must be the ARN of a certificate'),
    })
    .optional(),
});

export type Settings = z.infer<typeof settings>;

const environments = {
  dev: {
    region: 'eu-central-1',
    keepsData: false,
    recoveryDays: 1,
    contributorInsights: false,
    logDays: 7,
    throttling: { rate: 20, burst: 40 },
    corsOrigins: [anyOrigin],
    memory: 512,
  },
  staging: {
    region: 'eu-central-1',
    keepsData: false,
    recoveryDays: 7,
    contributorInsights: true,
    logDays: 30,
    throttling: { rate: 100, burst: 200 },
    corsOrigins: ['https://staging.app.example.com'],
    alarmEmail: 'catalog-alarms@example.com',
    memory: 1024,
    firewallRate: 10_000,
  },
  prod: {
    region: 'eu-central-1',
    keepsData: true,
    recoveryDays: 35,
    contributorInsights: true,
    logDays: 365,
    throttling: { rate: 500, burst: 200 },
    corsOrigins: ['https://app.example.com'],
    alarmEmail: 'catalog-alarms@example.com',
    memory: 1024,
    // Three functions, and the 100 that AWS leaves to others: an account that may run 700 instances at once, which a
    // new account has to ask for.
    reservedConcurrency: 200,
    firewallRate: 10_000,
  },
} as const satisfies Record<string, z.input<typeof settings>>;

export type EnvironmentName = keyof typeof environments;

export const environmentNames = Object.keys(environments) as EnvironmentName[];

/** The name of an environment's stack, and of its outputs, by which tools find what was deployed. */
export const stackName = (environment: EnvironmentName): string => `catalog-${environment}`;
export const outputs = { apiUrl: 'ApiUrl', tableName: 'TableName', domainTarget: 'DomainTarget' } as const;

/** A mistake of the person who named an environment or wrote its settings; the message is one sentence for them. */
export class SettingsError extends Error {}

/**
 * @param name what a person gave as the environment's name
 * @throws SettingsError when there is no such environment
 */
export function environmentName(name: unknown): EnvironmentName {
  const found = environmentNames.find((known) => known === name);
  if (found === undefined) {
    throw new SettingsError(`There is no environment "${name}"; choose one of ${environmentNames.join(', ')}.`);
  }
  return found;
}

/**
 * @param name the environment
 * @param values its settings; left out, those of this file
 * @throws SettingsError that names the first wrong setting
 */
export function settingsOf(name: EnvironmentName, values: unknown = environments[name]): Settings {
  const refuse = (path: readonly PropertyKey[], reason: string): SettingsError =>
    new SettingsError(`The setting ${[name, ...path].join('.')} in infra/environments.ts is wrong: ${reason}.`);
  const parsed = settings.safeParse(values);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    throw refuse(path, message);
  }
  const { keepsData, throttling, reservedConcurrency } = parsed.data;
  if (name === 'prod' && !keepsData) throw refuse(['keepsData'], 'prod keeps its data whatever happens');
  if (reservedConcurrency !== undefined && throttling.burst > reservedConcurrency)
    throw refuse(['throttling', 'burst'], `it must be within the reserved concurrency of ${reservedConcurrency}`);
  return parsed.data;
}
