import { DomainName, EndpointAccessMode, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { CfnOutput } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { outputs, type Settings } from '../environments.ts';

type DomainSettings = NonNullable<Settings['customDomain']>;

/**
 * A custom domain for the API. For a Route 53 zone, the stack creates the certificate and the DNS record. Otherwise the
 * record is managed elsewhere, and must point to the address in the stack's output.
 */
export class CustomDomain extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { api, name, ...settings }: DomainSettings & { readonly api: RestApi }) {
    super(scope, id);
    const zone =
      settings.zone &&
      HostedZone.fromHostedZoneAttributes(this, 'zone', {
        hostedZoneId: settings.zone.id,
        zoneName: settings.zone.name,
      });
    const certificate =
      settings.certificate === undefined
        ? new Certificate(this, 'certificate', { domainName: name, validation: CertificateValidation.fromDns(zone) })
        : Certificate.fromCertificateArn(this, 'certificate', settings.certificate);
    const domain = new DomainName(this, 'name', {
      domainName: name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS13_1_2_PQ_2025_09,
      endpointAccessMode: EndpointAccessMode.STRICT,
    });
    domain.addBasePathMapping(api);
    if (zone !== undefined) {
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
      new ARecord(this, 'record', { zone, recordName: `${name}.`, target });
    }
    this.url = `https://${name}/`;
    const target = new CfnOutput(this, 'target', { value: domain.domainNameAliasDomainName });
    target.overrideLogicalId(outputs.domainTarget);
  }
}
