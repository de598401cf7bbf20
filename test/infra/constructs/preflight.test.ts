import { Template } from 'aws-cdk-lib/assertions';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { App, Stack } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { addPreflight } from '../../../infra/constructs/mockMethods.ts';
import { propertiesOf } from '../templateOf.ts';

it('one preflight allows all methods of its path', () => {
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }));
  const resource = new RestApi(stack, 'api').root.resourceForPath('/things');
  for (const method of ['GET', 'POST']) resource.addMethod(method, new MockIntegration());
  addPreflight(resource, ['GET', 'POST'], ['*']);
  const methods = propertiesOf(Template.fromStack(stack), 'AWS::ApiGateway::Method');
  const preflights = methods.filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');
  expect(preflights).toHaveLength(1);
  const { ResponseParameters } = preflights[0].Integration.IntegrationResponses[0];
  expect(ResponseParameters['method.response.header.Access-Control-Allow-Methods']).toBe("'GET,POST'");
});
