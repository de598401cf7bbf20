import { CfnQueryDefinition, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';

/**
 * Saves queries of CloudWatch Logs Insights over all log groups of the stack, whose names are generated. To be called
 * after everything that logs is created.
 */
export function saveLogQueries(stack: Stack): void {
  const scope = new Construct(stack, 'queries');
  const groups = stack.node.findAll().filter((child) => child instanceof LogGroup);
  const save = (name: string, filter: string) =>
    new CfnQueryDefinition(scope, name, {
      name: `${stack.stackName}/${name}`,
      logGroupNames: groups.map(({ logGroupName }) => logGroupName),
      queryString: `fields @timestamp, @log, @message\n| filter ${filter}\n| sort @timestamp desc\n| limit 100`,
    });
  save('request', "requestId = 'the x-request-id of the response'");
  // The authorizer throws to refuse a token, which the runtime and Lambda report as an error. The last two parts are
  // Lambda's own lines about a function that crashed, or ran out of time or memory.
  const errors = [
    "(level = 'ERROR' and @message not like 'Unauthorized')",
    'status >= 500',
    "record.status in ['failure', 'timeout']",
    "(record.status = 'error' and @log not like 'authorizer')",
  ];
  save('errors', errors.join(' or '));
}
