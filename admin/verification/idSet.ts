const blockSize = 1_024;

/** A set of item ids, stored as bits because ids are dense. An id far from all others takes about 250 bytes. */
export class IdSet {
  readonly #blocks = new Map<number, Uint8Array>();

  add(id: number): void {
    const number = Math.floor(id / blockSize);
    const block = this.#blocks.get(number) ?? new Uint8Array(blockSize / 8);
    const bit = id % blockSize;
    block[bit >> 3] = (block[bit >> 3] ?? 0) | (1 << (bit & 7));
    this.#blocks.set(number, block);
  }

  has(id: number): boolean {
    const bit = id % blockSize;
    return (((this.#blocks.get(Math.floor(id / blockSize))?.[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  }
}
