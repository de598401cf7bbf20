const dynamodb = (page: string) =>
  `[DynamoDB](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/${page})`;
const lambda = (page: string) => `[Lambda](https://docs.aws.amazon.com/lambda/latest/dg/${page})`;

/** The AWS limits that docs/scale.md calculates with: defaults, each with a link to its source. */
export const awsLimits = {
  partitionWrites: {
    what: 'write units per second, per partition',
    value: 1_000,
    canBeRaised: false,
    source: dynamodb('burst-adaptive-capacity.html'),
  },
  partitionReads: {
    what: 'read units per second, per partition',
    value: 3_000,
    canBeRaised: false,
    source: dynamodb('burst-adaptive-capacity.html'),
  },
  newTableWrites: {
    what: 'write units per second, new on-demand table',
    value: 4_000,
    canBeRaised: true,
    source: dynamodb('warm-throughput-scenarios.html'),
  },
  tableWrites: {
    what: 'write units per second, per on-demand table and again per index',
    value: 40_000,
    canBeRaised: true,
    source: dynamodb('ServiceQuotas.html'),
  },
  gatewayRequests: {
    what: 'requests per second, all APIs of an AWS account in a region',
    value: 10_000,
    canBeRaised: true,
    source: '[API Gateway](https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html)',
  },
  concurrency: {
    what: 'concurrent executions, all functions of an AWS account in a region',
    value: 1_000,
    canBeRaised: true,
    source: lambda('gettingstarted-limits.html'),
  },
  requestsPerExecution: {
    what: 'requests per second to a function, per concurrent execution that it may have',
    value: 10,
    canBeRaised: false,
    source: lambda('gettingstarted-limits.html'),
  },
  newContainers: {
    what: 'new containers of a function in 10 seconds',
    value: 1_000,
    canBeRaised: false,
    source: lambda('scaling-behavior.html'),
  },
  logWrites: {
    what: '`PutLogEvents` calls per second, per AWS account and region',
    value: 5_000,
    canBeRaised: true,
    source: '[CloudWatch Logs](https://docs.aws.amazon.com/general/latest/gr/cwl_region.html)',
  },
} as const;
