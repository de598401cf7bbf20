import { type ApiDefinition, type Header, valued } from '../template/deployment.ts';
import { type GatewayError, gatewayErrors } from './gatewayError.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
}

/**
 * The response to an error: the API's response for this type, else its default for 4xx or 5xx, else API Gateway's own,
 * which some errors always get.
 * @param requestId the value of `context.requestId`
 */
export function gatewayResponse(api: ApiDefinition, error: GatewayError, requestId: string): HttpResponse {
  const { status, message, ...is } = gatewayErrors[error.type];
  if ('fixed' in is) {
    const isText = is.fixed === 'text';
    const headers: Header[] = [['content-type', isText ? 'text; charset=utf-8' : 'application/json']];
    return { status, headers, body: isText ? message : JSON.stringify({ message }) };
  }
  const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const response = api.gatewayResponses.get(error.type) ?? api.gatewayResponses.get(fallback);
  const headers = (response?.headers ?? []).map(valued(requestId));
  return {
    status: response?.status ?? status,
    headers: [['content-type', 'application/json'], ...headers],
    body: response?.body ?? JSON.stringify({ message }),
  };
}
