/**
 * Makes every sequence of choices, depth first: each run repeats the previous one up to the last choice that has
 * an alternative left, and takes that.
 */
export class Choices {
  readonly #made: { chosen: number; readonly of: number }[] = [];
  #place = 0;

  /** @returns a number below `of` */
  pick(of: number): number {
    if (of === 1) return 0;
    const made = this.#made[this.#place] ?? { chosen: 0, of };
    if (made.of !== of) throw new Error('The run is not decided by its choices');
    this.#made[this.#place] = made;
    this.#place += 1;
    return made.chosen;
  }

  /** Prepares the next run. @returns whether there is one */
  advance(): boolean {
    this.#place = 0;
    let last = this.#made.at(-1);
    while (last !== undefined && last.chosen + 1 === last.of) {
      this.#made.pop();
      last = this.#made.at(-1);
    }
    if (last === undefined) return false;
    last.chosen += 1;
    return true;
  }
}
