import { type Operation, operations } from '../http/operations.ts';
import { limits } from '../item/limits.ts';
import { batchSchemas } from './batchSchemas.ts';
import { configurationSchemas, readSchemas } from './catalogSchemas.ts';
import { documentedOperations, errorsOf } from './documentedOperations.ts';
import { errorSchemas } from './errorSchemas.ts';
import { requestExamples } from './examples.ts';
import { itemSchemas, metadataSchemas } from './itemSchemas.ts';
import { parameters, queryParameters } from './parameters.ts';
import { headers, responsesOf, sharedResponses } from './responses.ts';
import { jsonContent, reference, type Schema } from './schema.ts';

const description = `Creates, updates, reads and lists the products and services of an account.

Every error response contains \`{ "error": { "message", "code" } }\`. Lengths are counted in Unicode code points. A request body has at most ${limits.body} bytes. Every GET operation also supports HEAD.`;

const securitySchemes: Schema = {
  serviceToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token issued by an operator. It starts with `cat_`.',
  },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token issued by your organisation’s identity provider.',
  },
};

function operationObject(name: Operation): Schema {
  const { permission } = operations[name];
  const { summary, description, parameters = [], requestBody } = documentedOperations[name];
  const access = permission === null ? 'Any valid token is sufficient.' : `Requires the permission \`${permission}\`.`;
  return {
    operationId: name,
    tags: ['Items'],
    summary,
    description: `${description} ${access}`,
    parameters: parameters.flatMap((parameter) =>
      parameter === 'listParameters' ? queryParameters : [reference('parameters', parameter)],
    ),
    ...(requestBody !== undefined && {
      requestBody: {
        required: true,
        content: jsonContent(reference('schemas', requestBody), { example: requestExamples[requestBody] }),
      },
    }),
    responses: responsesOf(name),
  };
}

function paths(): Schema {
  const all: Record<string, Record<string, Schema>> = {};
  for (const [name, { method, path }] of Object.entries(operations))
    all[path] = { ...all[path], [method.toLowerCase()]: operationObject(name as Operation) };
  return all;
}

/** Generates the API's OpenAPI document from the code that defines each rule. */
export function openApiDocument(version: string): Schema {
  return {
    openapi: '3.1.1',
    info: { title: 'Catalog', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    // The service that `npm start` runs. Other environments have their own addresses.
    servers: [{ url: 'http://127.0.0.1:3000', description: 'A local instance' }],
    security: [{ serviceToken: [] }, { userToken: [] }],
    tags: [{ name: 'Items', description: 'The items of the caller’s account.' }],
    paths: paths(),
    components: {
      schemas: {
        ...itemSchemas,
        ...batchSchemas,
        ...readSchemas,
        ...configurationSchemas,
        ...metadataSchemas,
        ...errorSchemas((Object.keys(operations) as Operation[]).flatMap(errorsOf)),
      },
      parameters,
      headers,
      responses: sharedResponses(),
      securitySchemes,
    },
  };
}
