/** The tokens of an expression, which are consumed one by one. */
export class Tokens {
  readonly #tokens: string[];
  readonly #text: string;
  #place = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/[#:]?\w+|<=|>=|\S/g) ?? [];
  }

  get next(): string | undefined {
    return this.#tokens[this.#place];
  }

  /** Consumes the next token if it is this one. */
  skip(token: string): boolean {
    if (this.next !== token) return false;
    this.#place += 1;
    return true;
  }

  /** Consumes the next token. If one is given, it must be that. */
  take(token?: string): string {
    const { next } = this;
    if (next === undefined || (token !== undefined && next !== token)) throw this.misread();
    this.#place += 1;
    return next;
  }

  /** The error for an expression that the store never sends. */
  misread(): Error {
    return new Error(`The table in memory cannot read ${this.next ?? 'the end'} in the expression ${this.#text}`);
  }
}
