import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SigningKey, signingKey, signToken } from './signToken.ts';

/** Answers a request for a document. */
export type Answer = (response: ServerResponse, document: object) => void;

export const asJson: Answer = (response, document) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
};

/** An identity provider on the loopback address, with all that a resource server uses: discovery and keys. */
export class TestIssuer {
  /** Its signing keys. The first one signs new tokens. */
  keys: readonly SigningKey[] = [signingKey()];
  /** How it answers requests for its configuration and its keys. */
  answers = { configuration: asJson, keys: asJson };
  /** Number of requests for its keys. */
  requests = 0;
  #port = 0;
  readonly #server = createServer((request, response) => {
    if (request.url === '/.well-known/openid-configuration')
      return this.answers.configuration(response, { issuer: this.url, jwks_uri: `${this.url}/keys` });
    this.requests += 1;
    return this.answers.keys(response, { keys: this.keys.map(({ jwk }) => jwk) });
  });

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<this> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Makes it unavailable until it listens again. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** The claims of a valid token for an hour. Undefined ones are omitted. */
  claims(differences: object = {}): object {
    const now = Math.floor(Date.now() / 1000);
    return { iss: this.url, aud: 'catalog', sub: 'ann', account: 'acme', iat: now, exp: now + 3_600, ...differences };
  }

  /** A valid token, except for the differences in its claims and its header. */
  token(claims: object = {}, header: object = {}): string {
    return signToken(this.claims(claims), this.keys[0] as SigningKey, header);
  }
}

export const startIssuer = (): Promise<TestIssuer> => new TestIssuer().listen();
