import type { ErrorCode } from '../../item/errors.ts';
import { limits } from '../../item/limits.ts';
import { commonHeaders } from '../headers.ts';
import type { Operation } from '../routes.ts';
import { routes } from '../routes.ts';
import { errorSchemas } from './errorSchemas.ts';
import { itemSchemas } from './itemSchemas.ts';
import { metadataSchemas } from './metadataSchemas.ts';
import { anyOperation, type OperationDocument } from './operationDocument.ts';
import { operations } from './operations.ts';
import { parameters } from './parameters.ts';
import { readSchemas } from './readSchemas.ts';
import { headers } from './responseHeaders.ts';
import { responsesOf, sharedResponses } from './responses.ts';
import { reference, type Schema } from './schema.ts';

/** The service that `npm start` runs. Other environments have their own addresses. */
const localServer: Schema = { url: 'http://127.0.0.1:3000', description: 'The service on this machine' };

const securitySchemes: Schema = {
  serviceToken: { type: 'http', scheme: 'bearer', description: 'A token that an operator has issued (`cat_…`).' },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token of the organisation’s identity provider.',
  },
};

const description = `The catalog of products and services of an account: create items, update them partially, read and list them.

Errors have the shape \`{ "error": { "message", "code" } }\`. Lengths count Unicode code points. A request body has at most ${limits.body} bytes.`;

function operationObject(name: Operation, document: OperationDocument): Schema {
  const { permission, requestBody } = document;
  return {
    operationId: name,
    tags: ['Items'],
    summary: document.summary,
    description: `${document.description} ${permission === undefined ? 'Any valid token will do.' : `Needs the permission \`${permission}\`.`}`,
    parameters: (document.parameters ?? []).map((parameter) => reference('parameters', parameter)),
    ...(requestBody && {
      requestBody: {
        required: true,
        content: {
          [commonHeaders['content-type']]: {
            schema: reference('schemas', requestBody.schema),
            examples: { example: { value: requestBody.example } },
          },
        },
      },
    }),
    responses: responsesOf(document),
  };
}

function paths(): Schema {
  const all: Record<string, Record<string, Schema>> = {};
  for (const [name, { method, path }] of Object.entries(routes)) {
    const operation = name as Operation;
    all[path] = { ...all[path], [method.toLowerCase()]: operationObject(operation, operations[operation]) };
  }
  return all;
}

/**
 * Generates the API's OpenAPI document from the code that defines each rule.
 * @param version the service's version
 */
export function openApiDocument(version: string): Schema {
  const documents = Object.values(operations);
  const codes = new Set<ErrorCode>([...anyOperation, ...documents.flatMap(({ errors }) => errors)]);
  return {
    openapi: '3.1.1',
    info: { title: 'Catalog', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [localServer],
    security: [{ serviceToken: [] }, { userToken: [] }],
    tags: [{ name: 'Items', description: 'The items of the caller’s account.' }],
    paths: paths(),
    components: {
      schemas: { ...itemSchemas, ...readSchemas, ...metadataSchemas, ...errorSchemas(codes) },
      parameters,
      headers,
      responses: sharedResponses(documents),
      securitySchemes,
    },
  };
}
