import { type Operation, operations } from '../../../lib/http/operations.ts';
import type { JsonObject } from '../../../lib/item/json.ts';

/** Headers that replace or extend those of every request: a value, several values, or undefined to omit the header. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string | Buffer;
}

/** Sends an object as JSON, and text and bytes unchanged. */
type Body = JsonObject | string | Buffer;

const encode = (body: Body): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);

export const create = (body: Body, headers: Headers = {}): ApiRequest => ({
  method: operations.createItem.method,
  path: operations.createItem.path,
  headers,
  body: encode(body),
});

/** @param id the item's id, or any text in its place in the path */
export const update = (id: number | string, body: Body, headers: Headers = {}): ApiRequest => ({
  method: operations.updateItem.method,
  path: operations.updateItem.path.replace('{id}', () => String(id)),
  headers,
  body: encode(body),
});

export const writeBatch = (body: Body, headers: Headers = {}): ApiRequest => ({
  method: operations.writeItems.method,
  path: operations.writeItems.path,
  headers,
  body: encode(body),
});

/** Requests that only read. They have no body, and no content type. */
const reading = (path: string, headers: Headers): ApiRequest => ({
  method: 'GET',
  path,
  headers: { 'content-type': undefined, ...headers },
});

/** @param id the item's id, or any text in its place in the path */
export const get = (id: number | string, headers: Headers = {}): ApiRequest =>
  reading(
    operations.getItem.path.replace('{id}', () => String(id)),
    headers,
  );

/** @param parameters parameters to encode, or a query string to send unchanged */
export const list = (parameters: Readonly<Record<string, string>> | string = {}, headers: Headers = {}): ApiRequest => {
  const query = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();
  return reading(`${operations.listItems.path}${query === '' ? '' : `?${query}`}`, headers);
};

export const listChanges = (query = '', headers: Headers = {}): ApiRequest =>
  reading(`${operations.listChanges.path}${query}`, headers);

export const listItemChanges = (id: number | string, query = '', headers: Headers = {}): ApiRequest =>
  reading(operations.listItemChanges.path.replace('{id}', () => String(id)) + query, headers);

export const getCatalog = (headers: Headers = {}): ApiRequest => reading(operations.getCatalog.path, headers);

/** A request that configures the catalog, of an operation whose path may have an id. */
export const configure = (name: Operation, body: Body, headers: Headers, id: number | string = 1): ApiRequest => ({
  method: operations[name].method,
  path: operations[name].path.replace('{id}', () => String(id)),
  headers,
  body: encode(body),
});

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
