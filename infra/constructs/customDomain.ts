import { DomainName, EndpointAccessMode, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnOutput } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { outputs } from '../environments.ts';

interface CustomDomainProps {
  readonly api: RestApi;
  readonly name: string;
  /** ARN of its certificate, which must be in the API's region. */
  readonly certificate: string;
}

/** A custom domain for the API. Its DNS record is created elsewhere, and must point to the address in an output. */
export class CustomDomain extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { api, name, certificate }: CustomDomainProps) {
    super(scope, id);
    const domain = new DomainName(this, 'name', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'certificate', certificate),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS13_1_2_PQ_2025_09,
      endpointAccessMode: EndpointAccessMode.STRICT,
    });
    domain.addBasePathMapping(api);
    this.url = `https://${name}/`;
    const target = new CfnOutput(this, 'target', { value: domain.domainNameAliasDomainName });
    target.overrideLogicalId(outputs.domainTarget);
  }
}
