import { describe, expect, it } from 'vitest';
import { anonymousChecks } from '../../../admin/smoke/checks.ts';
import { heartbeatTimeout } from '../../../admin/smoke/heartbeatHandler.ts';
import { synthesise } from '../../../local/template/synthesise.ts';
import { propertiesOf, resourcesOf, templateOf, templateWith } from '../templateOf.ts';

const template = templateOf('prod', { verification: false });
const [id = '', heartbeat] =
  resourcesOf(template, 'AWS::Lambda::Function').find(([id]) => id.startsWith('heartbeat')) ?? [];
const variables = heartbeat?.Properties.Environment.Variables;

describe('the heartbeat', () => {
  it("calls the API's public address, which is the custom domain if there is one", () => {
    expect(variables.CATALOG_URL).toEqual(template.toJSON()['Outputs'].ApiUrl.Value);
    const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const own = templateWith({ heartbeat: true, customDomain: { name: 'api.example.com', certificate } });
    const urls = propertiesOf(own, 'AWS::Lambda::Function').map(({ Environment }) => Environment.Variables.CATALOG_URL);
    expect(urls).toContain('https://api.example.com/');
  });

  it('is deployed after the API whose responses it expects, also at a custom domain, whose address is no reference', () => {
    const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const own = templateWith({ heartbeat: true, customDomain: { name: 'api.example.com', certificate } });
    const functions = own.findResources('AWS::Lambda::Function');
    const [stage = ''] = Object.keys(own.findResources('AWS::ApiGateway::Stage'));
    expect(functions[id]?.['DependsOn']).toContain(stage);
  });

  it('reports an API that hangs before its own time runs out', () => {
    expect(heartbeat?.Properties.Timeout * 1000).toBeGreaterThan(anonymousChecks.length * heartbeatTimeout + 5_000);
  });

  it('is omitted if the settings say so, and in the local service, where it would call the deployed API', () => {
    expect(propertiesOf(templateOf('dev'), 'AWS::Events::Rule')).toEqual([]);
    const { template: local, remove } = synthesise(false, { heartbeat: true });
    remove();
    expect(JSON.stringify(local)).not.toContain('AWS::Events::Rule');
  });
});
