import type { Client } from '../http/catalogClient.ts';

/** The address of the service, also if the client has a path of the page. */
export function serviceOf({ service = '' }: Pick<Client, 'service'>): string {
  const { location } = globalThis as { location?: { readonly origin: string } };
  return location === undefined ? service : new URL(service, location.origin).href;
}
