import type { ApiDefinition, Header } from '../template/deployment.ts';
import { type GatewayError, gatewayErrors } from './gatewayError.ts';

/** What is sent to the client. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
}

/** The variables of API Gateway that a response may use, by their names after `context.`. */
const variables = {
  requestId: (_error: GatewayError, requestId: string) => requestId,
  'error.message': (error: GatewayError) => error.message,
  'error.messageString': (error: GatewayError) => JSON.stringify(error.message),
  'error.responseType': (error: GatewayError) => error.type as string,
};

const isVariable = (name: string): name is keyof typeof variables => Object.hasOwn(variables, name);

/**
 * Whether a response can be rendered here: text and the known variables.
 * @param text a body template, or a header's value without its quotes
 */
export const canRender = (text: string): boolean =>
  text.replaceAll(/\$context\.([\w.]*\w)/g, (whole, name) => (isVariable(name) ? '' : whole)).search(/[$#]/) === -1;

/**
 * The response that the API defines for an error, or for its class; without either, API Gateway's own.
 * @param api the API that defines the responses
 * @param error what happened
 * @param requestId the request's id, which responses may show
 */
export function gatewayResponse(api: ApiDefinition, error: GatewayError, requestId: string): Answer {
  const fallback = gatewayErrors[error.type].status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const response = api.gatewayResponses.get(error.type) ?? api.gatewayResponses.get(fallback);
  const render = (text: string): string =>
    text.replaceAll(/\$context\.([\w.]*\w)/g, (whole, name) =>
      isVariable(name) ? variables[name](error, requestId) : whole,
    );
  const header = (value: string): string => (value.startsWith("'") ? value.slice(1, -1) : render(`$${value}`));
  const headers = (response?.headers ?? []).map(([name, value]): Header => [name, header(value)]);
  return {
    status: response?.status ?? gatewayErrors[error.type].status,
    headers: [['content-type', 'application/json'], ...headers],
    body: render(response?.template ?? '{"message":$context.error.messageString}'),
  };
}
