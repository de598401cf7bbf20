import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

/**
 * Takes the place of `@smithy/core/checksum`, of which the signatures of messages need this class. The real one brings
 * SHA-256 in JavaScript along, and tries Node's at each start.
 */
export class Sha256 {
  readonly #hash: Hash | Hmac;

  /** @param secret left out: a hash; otherwise an HMAC */
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}
