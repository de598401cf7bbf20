/** The words and signs of an expression, taken one after another. */
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

  /** Takes the next token if it is this one. */
  skip(token: string): boolean {
    if (this.next !== token) return false;
    this.#place += 1;
    return true;
  }

  /** Takes the next token, which must be this one where one is given. */
  take(token?: string): string {
    const { next } = this;
    if (next === undefined || (token !== undefined && next !== token)) throw this.misread();
    this.#place += 1;
    return next;
  }

  /** That the expression is none that the store writes. */
  misread(): Error {
    return new Error(`The table in memory cannot read ${this.next ?? 'the end'} in the expression ${this.#text}`);
  }
}
