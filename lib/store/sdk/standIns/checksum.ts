import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

/** Replaces `@smithy/core/checksum`, of which only this class is needed, to sign messages. */
export class Sha256 {
  readonly #hash: Hash | Hmac;

  /** @param secret computes an HMAC; if omitted, a hash */
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
