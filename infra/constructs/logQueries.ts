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
    // The last part is Lambda's own line about a function that crashed, or ran out of time or memory.
    save('errors', "level = 'ERROR' or status >= 500 or record.status in ['error', 'failure', 'timeout']");
  }
}
