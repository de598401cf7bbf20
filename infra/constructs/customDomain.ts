import { DomainName, EndpointAccessMode, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
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
    const zone = this.#zone(settings);
    const domain = new DomainName(this, 'name', {
      domainName: name,
      certificate: this.#certificate(name, settings.certificate, zone),
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

  #zone({ zone }: Pick<DomainSettings, 'zone'>): IHostedZone | undefined {
    return zone && HostedZone.fromHostedZoneAttributes(this, 'zone', { hostedZoneId: zone.id, zoneName: zone.name });
  }

  #certificate(name: string, arn: string | undefined, zone: IHostedZone | undefined): ICertificate {
    if (arn !== undefined) return Certificate.fromCertificateArn(this, 'certificate', arn);
    return new Certificate(this, 'certificate', {
      domainName: name,
      validation: CertificateValidation.fromDns(zone),
    });
  }
}
