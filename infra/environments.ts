import * as z from 'zod';
import { accountId, accountIdRule } from '../lib/access/accountId.ts';
import { shareCount } from '../lib/access/shares.ts';
import { anyOrigin } from '../lib/http/headers.ts';
import { identityProviders } from '../lib/identity/identitySettings.ts';

const days = z.literal([
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]);

const text = (form: RegExp, reason: string) => z.string().regex(form, reason);

const originForm = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;
const origin = text(originForm, `must be an origin such as https://app.example.com, or ${anyOrigin} alone for any`);

/** AWS's managed rule groups that suit an API without HTML, SQL or a file system. */
const managedRules = z.enum([
  'AWSManagedRulesAmazonIpReputationList',
  'AWSManagedRulesKnownBadInputsRuleSet',
  'AWSManagedRulesCommonRuleSet',
]);

const firewall = z.strictObject({
  /** Maximum number of requests with the same access token in five minutes. */
  tokenRate: z.int().min(10),
  /**
   * Maximum number of requests from one IP address in five minutes. Above `tokenRate`, because an office can share one.
   */
  addressRate: z.int().min(10),
  /** AWS's managed rule groups. Rules that would block requests that the API accepts only count. Optional. */
  managedRules: z
    .array(managedRules)
    .min(1)
    .refine((names) => new Set(names).size === names.length, 'it names a group twice')
    .optional(),
});

const backup = z.strictObject({
  /**
   * The ARN of a vault in another account of the same organisation, such as one created from infra/backupVault.yaml.
   */
  vault: text(
    /^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:(?!Default$)[\w-]{2,50}$/,
    'must be the ARN of a backup vault other than Default',
  ),
  /** Number of days for which each copy is kept. The vault's lock rejects copies outside its limits. */
  days: z.int().min(1).max(36_500),
});

const alarmRecipient = z.union([z.email(), z.string().regex(/^arn:aws[a-z-]*:sns:/)], {
  error: "must be an email address or a topic's ARN",
});

/** Requests per second, and how many more may come at once. */
const limit = { rate: z.int().min(1), burst: z.int().min(1) };

type Limit = { readonly [Name in keyof typeof limit]: number };

const throttling = z.strictObject({
  ...limit,
  /** Of batches. */
  batches: z.strictObject(limit),
  /**
   * What one account may use of that, of each operation, at most an eighth. Accounts have one of 64 shares by a hash of
   * their ids, so some have one together. If omitted, an account can use all.
   */
  shares: z
    .strictObject({
      ...limit,
      /** With 50 rows each and other writes, no more than the changes of an account that are recorded: 240 a second. */
      batches: z.strictObject(limit),
      /** Accounts that share with nobody, besides that of the heartbeat. */
      own: z.array(z.string().regex(accountId, accountIdRule)).max(shareCount / 2),
      /** True refuses what is beyond a share. Deploy it with false first, so that all have a share before they need one. */
      enforced: z.boolean(),
    })
    .optional(),
});

/** Everything that differs between environments. */
const settings = z.strictObject({
  /** The AWS account's twelve digits. If omitted, the account of whoever deploys. */
  account: text(/^\d{12}$/, 'must be twelve digits').optional(),
  /** Tags of all resources, in addition to `service` and `environment`. */
  tags: z.record(z.string().min(1).max(128), z.string().max(256)).optional(),
  region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-central-1'),
  /** If true, the table and the logs outlive the stack, and the table and the stack are protected from deletion. */
  keepsData: z.boolean(),
  /** Number of days for which the table can be restored to any second. */
  recoveryDays: z.int().min(1).max(35),
  /**
   * The ARN of a customer managed KMS key for the table, in the same region. If omitted, the key that AWS manages for
   * DynamoDB. Disabling the key stops the service.
   */
  tableKey: text(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'must be the ARN of a key').optional(),
  /** Number of days for which the changes of items are kept. */
  changeDays: z.int().min(1),
  /** The ARN of an EventBridge bus that gets a short event for each change of an item. If omitted, none are sent. */
  eventBus: text(
    /^arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/[\w./-]+$/,
    "must be an event bus's ARN",
  ).optional(),
  contributorInsights: z.boolean(),
  /** Number of days for which the logs of the functions and the API are kept. */
  logDays: days,
  /**
   * Limits for all callers together: requests per second, and concurrent requests. The burst must not exceed the
   * reserved concurrency, because Lambda would refuse the rest, and callers would get 5xx instead of 429.
   */
  throttling,
  /** The origins of the web pages that may call the API, or {@link anyOrigin} alone. */
  corsOrigins: z.union([z.tuple([z.literal(anyOrigin)]), z.array(origin).min(1)]),
  /** The identity provider whose access tokens are accepted too, or a list. If omitted, only the service's own are. */
  identity: z.optional(identityProviders),
  /**
   * Who receives alarms, each an email address or the ARN of a topic: pages cannot wait, tickets can. Without `pages`,
   * all are tickets. If omitted, there are no alarms and no dashboard.
   */
  alarms: z.strictObject({ pages: alarmRecipient.optional(), tickets: alarmRecipient }).optional(),
  /** A month's budget in USD, of whose use the recipient of tickets is notified. If omitted, there is none. */
  monthlyBudget: z.number().positive().optional(),
  /**
   * Name of the parameter from which the heartbeat reads its token, once `npm run admin -- heartbeat` has put one there.
   * It calls the API every minute, and an alarm goes off if that does not answer. If omitted, there is no heartbeat.
   */
  heartbeatToken: text(
    /^(\/[\w.-]+)+$/,
    'must be the name of a parameter such as /catalog/prod/heartbeat-token',
  ).optional(),
  /** If true, the table is verified every day, and an alarm goes off if something is found. */
  verification: z.boolean(),
  /** Memory of each function in MB. Its share of a CPU grows with the memory. */
  memory: z.int().min(128).max(10_240),
  /** Reserved concurrency of each function. If omitted, the functions share the account's unreserved concurrency. */
  reservedConcurrency: z.int().min(1).optional(),
  /**
   * The steps in which CodeDeploy shifts traffic to a new version of each function, by CodeDeploy's name for them. If
   * omitted, all traffic shifts at once.
   */
  gradualDeployment: z
    .enum([
      'Canary10Percent5Minutes',
      'Canary10Percent10Minutes',
      'Canary10Percent15Minutes',
      'Canary10Percent30Minutes',
      'Linear10PercentEvery1Minute',
      'Linear10PercentEvery2Minutes',
      'Linear10PercentEvery3Minutes',
      'Linear10PercentEvery10Minutes',
    ])
    .optional(),
  /** A web application firewall, which logs what it blocks or counts. If omitted, there is none. */
  firewall: firewall.optional(),
  /** A daily backup of the table, copied to a vault in another account. If omitted, there is none. */
  backup: backup.optional(),
  /**
   * A custom domain. If omitted, API Gateway's default endpoint. With a public hosted zone of Route 53, the stack
   * creates the certificate and the DNS record. Otherwise give a certificate's ARN in the same region, and create the
   * record.
   */
  customDomain: z
    .strictObject({
      name: z.hostname(),
      certificate: text(/^arn:aws[a-z-]*:acm:/, 'must be the ARN of a certificate').optional(),
      zone: z.strictObject({ id: text(/^Z[A-Z0-9]+$/, 'must be the id of a zone'), name: z.hostname() }).optional(),
    })
    .refine(
      ({ certificate, zone }) => certificate !== undefined || zone !== undefined,
      'it takes a certificate or a zone',
    )
    .refine(
      ({ name, zone }) => zone === undefined || name === zone.name || name.endsWith(`.${zone.name}`),
      'its name must be in the zone',
    )
    .optional(),
});

export type Settings = z.infer<typeof settings>;

/** The regions in which CloudFormation can create a budget, which is the same everywhere. */
const budgetRegions = [
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2', 'ca-central-1'],
  ...['cn-north-1', 'cn-northwest-1', 'eu-central-1', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'me-south-1'],
  ...['sa-east-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
];

const environments = {
  dev: {
    region: 'eu-central-1',
    keepsData: false,
    recoveryDays: 1,
    changeDays: 7,
    contributorInsights: false,
    logDays: 7,
    throttling: { rate: 20, burst: 40, batches: { rate: 10, burst: 5 } },
    corsOrigins: [anyOrigin],
    verification: false,
    memory: 512,
  },
  staging: {
    region: 'eu-central-1',
    keepsData: false,
    recoveryDays: 7,
    changeDays: 30,
    contributorInsights: false,
    logDays: 30,
    throttling: {
      ...{ rate: 100, burst: 200, batches: { rate: 24, burst: 32 } },
      shares: { rate: 12, burst: 25, batches: { rate: 3, burst: 4 }, own: [], enforced: false },
    },
    corsOrigins: ['https://staging.app.example.com'],
    alarms: { tickets: 'catalog-tickets@example.com' },
    heartbeatToken: '/catalog/staging/heartbeat-token',
    verification: true,
    memory: 1024,
    gradualDeployment: 'Linear10PercentEvery1Minute',
    firewall: { tokenRate: 5_000, addressRate: 7_500 },
  },
  prod: {
    region: 'eu-central-1',
    keepsData: true,
    recoveryDays: 35,
    changeDays: 365,
    contributorInsights: true,
    logDays: 365,
    throttling: {
      ...{ rate: 500, burst: 200, batches: { rate: 24, burst: 32 } },
      shares: { rate: 45, burst: 25, batches: { rate: 3, burst: 4 }, own: [], enforced: false },
    },
    corsOrigins: ['https://app.example.com'],
    alarms: { pages: 'catalog-pages@example.com', tickets: 'catalog-tickets@example.com' },
    monthlyBudget: 200,
    heartbeatToken: '/catalog/prod/heartbeat-token',
    verification: true,
    memory: 1024,
    // Six functions with 200 each, writeItems with 44, listChanges with 20, three with 10, and the 100 that must stay
    // unreserved: request a limit of 1394 concurrent executions for the account.
    reservedConcurrency: 200,
    gradualDeployment: 'Linear10PercentEvery2Minutes',
    firewall: {
      tokenRate: 10_000,
      addressRate: 40_000,
      managedRules: ['AWSManagedRulesAmazonIpReputationList', 'AWSManagedRulesKnownBadInputsRuleSet'],
    },
  },
} as const satisfies Record<string, z.input<typeof settings>>;

/** The settings that prod leaves out. */
export type UnusedByProd = Exclude<keyof Settings, keyof typeof environments.prod>;

export type EnvironmentName = keyof typeof environments;

export const environmentNames = Object.keys(environments) as EnvironmentName[];

export const stackName = (environment: EnvironmentName): string => `catalog-${environment}`;

/** The names of the stack's outputs, which tools read. */
export const outputs = {
  apiUrl: 'ApiUrl',
  tableName: 'TableName',
  /** Exists if requests need the API key of a share, so that every live version of the authorizer must return one. */
  sharesEnforced: 'SharesEnforced',
  /** The commit that was deployed: its hash, if need be with `-dirty`, or {@link unknownCommit}. */
  commit: 'Commit',
  domainTarget: 'DomainTarget',
  applyAccount: 'ApplyAccountFunction',
  /** The ARNs of the versions that the template makes live, as JSON by function. */
  versions: 'Versions',
  checkNewVersions: 'CheckNewVersionsFunction',
} as const;

/** The commit where nobody knows one, and where it must be the same each time. */
export const unknownCommit = 'unknown';

/**
 * The aliases of a function whose traffic goes to published versions. Only the first is part of the stack. After a
 * deployment was killed, the others show what it moved: `before` changes only once something has moved.
 */
export const aliases = {
  /** The version that callers reach. */
  live: 'live',
  /** The version that they reached before the last deployment, to which a rollback returns. */
  before: 'before',
  /** The version that they reached when the last deployment started, which may have moved nothing. */
  started: 'started',
} as const;

/** A wrong environment name or setting. The message is one sentence for the person who wrote it. */
export class SettingsError extends Error {}

/**
 * @param name an environment's name, as a person typed it
 * @throws SettingsError if there is no such environment
 */
export function environmentName(name: unknown): EnvironmentName {
  const found = environmentNames.find((known) => known === name);
  if (found === undefined)
    throw new SettingsError(`There is no environment "${name}"; choose one of ${environmentNames.join(', ')}.`);
  return found;
}

/**
 * @param values its settings. By default, those in this file.
 * @throws SettingsError that names the first wrong setting
 */
export function settingsOf(name: EnvironmentName, values: unknown = environments[name]): Settings {
  const refuse = (path: readonly PropertyKey[], reason: string): SettingsError =>
    new SettingsError(`The setting ${[name, ...path].join('.')} in infra/environments.ts is wrong: ${reason}.`);
  const parsed = settings.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues.map(innermost);
    throw refuse(issue?.path ?? [], issue?.message ?? '');
  }
  for (const [path, reason] of contradictions(name, parsed.data)) throw refuse(path, reason);
  return parsed.data;
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** Returns the error of the form that a value has, if it may have several forms. */
function innermost(issue: z.core.$ZodIssue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const hasForm = (issues: z.core.$ZodIssue[]) =>
    issues.every(({ code, path }) => code !== 'invalid_type' || path.length > 0);
  const [[first] = [], ...others] = issue.errors.filter(hasForm);
  if (first === undefined || others.length > 0) return issue;
  const { path, message } = innermost(first);
  return { path: [...issue.path, ...path], message };
}

/** In bytes: Lambda's limit of 4 KB for all variables of a function, without its table's name and the like. */
const largestEnvironment = 3_500;

/** Settings that conflict with others, and why. */
function* contradictions(name: EnvironmentName, settings: Settings): Generator<[path: string[], reason: string]> {
  const { account, alarms, backup, corsOrigins, firewall, identity, keepsData, monthlyBudget } = settings;
  const { region, reservedConcurrency, throttling } = settings;
  if (name === 'prod' && !keepsData) yield [['keepsData'], 'prod must keep its data'];
  if (reservedConcurrency !== undefined && throttling.burst > reservedConcurrency)
    yield [['throttling', 'burst'], `it must not exceed the reserved concurrency of ${reservedConcurrency}`];
  if (firewall !== undefined && firewall.addressRate <= firewall.tokenRate)
    yield [['firewall', 'addressRate'], 'it must exceed the tokenRate, because many callers can share an address'];
  const { batches, shares } = throttling;
  const isTooLarge = (share: Limit, all: Limit) => 8 * share.rate > all.rate || 8 * share.burst > all.burst;
  if (shares !== undefined && (isTooLarge(shares, throttling) || isTooLarge(shares.batches, batches)))
    yield [['throttling', 'shares'], 'eight of them must not exceed the limits for all callers'];
  const ofStage = throttling.rate * 300;
  if (firewall !== undefined && firewall.addressRate >= ofStage)
    yield [
      ['firewall', 'addressRate'],
      `it must be below the ${ofStage} requests that the stage allows in five minutes`,
    ];
  if (Buffer.byteLength(JSON.stringify([identity, corsOrigins, throttling.shares?.own])) > largestEnvironment)
    yield [
      ['identity', 'accounts'],
      `with corsOrigins and shares.own, it must not exceed ${largestEnvironment} bytes, for which a function's environment has room. ` +
        'Have the provider put the account itself into the claim, and leave accounts out',
    ];
  if (monthlyBudget !== undefined && alarms === undefined)
    yield [['monthlyBudget'], 'it requires alarms, whose recipient of tickets is notified'];
  if (monthlyBudget !== undefined && !budgetRegions.includes(region))
    yield [['monthlyBudget'], `CloudFormation has no budgets in ${region}: leave it out, and create one elsewhere`];
  if (backup !== undefined && !keepsData)
    yield [['backup'], 'it requires keepsData, because a vault with backups cannot be deleted with the stack'];
  if (backup !== undefined && account === undefined)
    yield [['backup'], 'it requires account, to check that the vault is in another one'];
  if (backup !== undefined && backup.vault.split(':')[4] === account)
    yield [['backup', 'vault'], 'it must be in another account, where nobody who can delete the table can delete it'];
}
