import { expect, it } from 'vitest';
import { foldChanges } from '../../../tools/cdk/showChanges.ts';

const right = (sign: string, effect: string, action: string) => `│ ${sign} │ \${table.Arn} │ ${effect} │ ${action} │\n`;
const rights = (...rows: string[]) => `Stack catalog-prod\nIAM Statement Changes\n${rows.join('')}\nResources\n`;

/** As the CDK prints them: those that are new and gone, then the others in the order of the template. */
const resources = {
  orphan: '[-] AWS::Lambda::Version getItemVersion1 orphan\n',
  gone: '[-] AWS::SNS::Topic alarmspages destroy\n',
  version: '[+] AWS::Lambda::Version getItem/Version getItemVersion2\n',
  added: '[+] AWS::CloudWatch::Alarm alarms/new alarmsnew1\n',
  code: '[~] AWS::Lambda::Function getItem getItem\n └─ [~] Code\n     └─ [~] .S3Key:\n',
  replaced: '[~] AWS::DynamoDB::Table changes changes replace\n └─ [~] KeySchema (requires replacement)\n',
  perhaps: '[~] AWS::SNS::Topic tickets tickets may be replaced\n',
  text: '[~] AWS::CloudWatch::Alarm alarms/old alarmsold1\n └─ [~] AlarmDescription\n     ├─ [-] one\nand replaced\n',
};
const outputs =
  '\nOutputs\n[+] Output Commit Commit: {"Value":"unknown"}\n\n✨  Number of stacks with differences: 1\n';
const none = rights();

it('shows rights, then what is replaced or removed, then what is new, and folds the rest', () => {
  const { gone, replaced, perhaps, added, orphan, version, code, text } = resources;
  expect(foldChanges(none + Object.values(resources).join('') + outputs)).toEqual({
    first: none + gone + replaced + perhaps + added + outputs,
    rest: [orphan, version, code, text],
    summary:
      'Only changed, or published anew: 2 AWS::Lambda::Version, 1 AWS::Lambda::Function, 1 AWS::CloudWatch::Alarm.',
  });
});

it('marks an added Deny as a lost right, and a removed one as a gained right', () => {
  const diff = rights(right('+', 'Deny', 'a:B'), right('-', 'Deny', 'a:C'), right('+', 'Allow', 'a:D'));
  const marked = rights(right('-', 'Deny', 'a:B'), right('+', 'Deny', 'a:C'), right('+', 'Allow', 'a:D'));
  expect(foldChanges(diff)).toEqual({ first: marked, rest: [], summary: '' });
});
