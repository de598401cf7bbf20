/** Takes all steps. @returns the last one, if there are any */
export async function lastOf<Step>(
  steps: AsyncIterable<Step>,
  each: (step: Step) => void = () => undefined,
): Promise<Step | undefined> {
  let last: Step | undefined;
  for await (const step of steps) {
    last = step;
    each(step);
  }
  return last;
}
