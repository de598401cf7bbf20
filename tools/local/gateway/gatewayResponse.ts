import type { ApiDefinition, Header } from '../template/deployment.ts';
import { type GatewayError, gatewayErrors } from './gatewayError.ts';

/** A response to the client. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
}

/** The variables that a gateway response may use, by the name after `context.`. */
const contextVariables = {
  requestId: (_error: GatewayError, requestId: string) => requestId,
  'error.message': (error: GatewayError) => error.message,
  'error.messageString': (error: GatewayError) => JSON.stringify(error.message),
  'error.responseType': (error: GatewayError) => error.type as string,
};

const isVariable = (name: string): name is keyof typeof contextVariables => Object.hasOwn(contextVariables, name);

/**
 * Whether the local gateway can render a text: it must not contain other variables or template language.
 * @param text a body template, or a header's value without its quotes
 */
export const canRender = (text: string): boolean =>
  text.replaceAll(/\$context\.([\w.]*\w)/g, (whole, name) => (isVariable(name) ? '' : whole)).search(/[$#]/) === -1;

/**
 * The response to an error: the API's response for this type, else its default for 4xx or 5xx, else API Gateway's own.
 * @param requestId the value of `context.requestId`
 */
export function gatewayResponse(api: ApiDefinition, error: GatewayError, requestId: string): HttpResponse {
  const fallback = gatewayErrors[error.type].status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const response = api.gatewayResponses.get(error.type) ?? api.gatewayResponses.get(fallback);
  const render = (text: string): string =>
    text.replaceAll(/\$context\.([\w.]*\w)/g, (whole, name) =>
      isVariable(name) ? contextVariables[name](error, requestId) : whole,
    );
  const header = (value: string): string => (value.startsWith("'") ? value.slice(1, -1) : render(`$${value}`));
  const headers = (response?.headers ?? []).map(([name, value]): Header => [name, header(value)]);
  return {
    status: response?.status ?? gatewayErrors[error.type].status,
    headers: [['content-type', 'application/json'], ...headers],
    body: render(response?.template ?? '{"message":$context.error.messageString}'),
  };
}
