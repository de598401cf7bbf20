import { CfnQueryDefinition, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';

/**
 * Saved queries of CloudWatch Logs Insights over all log groups of the stack, whose names are generated. Create it after
 * everything that logs.
 */
export class LogQueries extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { stackName, node } = Stack.of(this);
    const logGroupNames = node
      .findAll()
      .filter((child) => child instanceof LogGroup)
      .map(({ logGroupName }) => logGroupName);
    const save = (name: string, filter: string) =>
      new CfnQueryDefinition(this, name, {
        name: `${stackName}/${name}`,
        logGroupNames,
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
}
