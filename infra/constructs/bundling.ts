import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';

/** The SDK imports these only dynamically, and Lambda never needs them: DynamoDB has no event streams. */
const unusedModules = ['@smithy/core/event-streams'];

const standIn = (name: string): string =>
  fileURLToPath(new URL(`../../lib/store/sdk/standIns/${name}.ts`, import.meta.url));

/** Parts of the SDK that the functions do not use, with their replacements (lib/store/sdk/README.md). */
export const alias: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': standIn('credentialProvider'),
  '@aws-sdk/middleware-endpoint-discovery': standIn('endpointDiscovery'),
  '@smithy/core/checksum': standIn('checksum'),
  '@smithy/core/config': standIn('configuration'),
  '@smithy/core/retry': standIn('retry'),
  '@smithy/node-http-handler': standIn('httpHandler'),
};

/** Syntax that esbuild must not transpile. It would compile such a regular expression again for each use. */
export const supported = { 'regexp-unicode-property-escapes': true };

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The entry file of a function, which has the function's name. Those in `operators` run operators' code. */
export function entryOf(name: string): string {
  const forOperators = `${root}functions/operators/${name}.ts`;
  return existsSync(forOperators) ? forOperators : `${root}functions/${name}.ts`;
}

/** What all functions have in common. */
export const commonProps = (scope: Construct, name: string) => ({
  entry: entryOf(name),
  projectRoot: root,
  depsLockFilePath: `${root}package-lock.json`,
  runtime: Runtime.NODEJS_24_X,
  // On AWS, ARM is cheaper. `npm run sam` asks for this machine's architecture, which needs no emulation.
  architecture: scope.node.tryGetContext('architecture') === 'x86_64' ? Architecture.X86_64 : Architecture.ARM_64,
  loggingFormat: LoggingFormat.JSON,
  awsSdkConnectionReuse: false,
});

const supportedArgs = Object.fromEntries(
  Object.entries(supported).map(([feature, is]) => [`--supported:${feature}`, String(is)]),
);

/** esbuild's options for the functions that the API calls. */
export const bundling: BundlingOptions = {
  target: 'node24',
  // Starts about 7 ms faster than an ES module, in which importing `node:http` would also load undici.
  format: OutputFormat.CJS,
  // esbuild can drop unused code from the SDK's ES modules, but not from its CommonJS: 341 KB instead of 548 KB.
  mainFields: ['module', 'main'],
  logLevel: LogLevel.WARNING,
  minify: true,
  sourceMap: true,
  sourcesContent: false,
  externalModules: unusedModules,
  esbuildArgs: {
    ...Object.fromEntries(Object.entries(alias).map(([module, file]) => [`--alias:${module}`, file])),
    ...supportedArgs,
  },
};

/** The options for other functions. They use more of the SDK, and nobody waits for their start. */
export const bundlingWithSdk: BundlingOptions = { ...bundling, externalModules: [], esbuildArgs: supportedArgs };
