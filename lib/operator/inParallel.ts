/** Processes a list with several workers in parallel. */
export async function inParallel<T>(workers: number, all: Iterator<T>, work: (one: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = all.next(); next.done !== true; next = all.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
