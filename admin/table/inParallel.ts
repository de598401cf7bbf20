import { awaitAll } from '../../lib/catalog/awaitAll.ts';

/**
 * Processes a list with several workers in parallel. When one fails, the others stop.
 * @param work gets a function that returns true once another one has failed
 */
export async function inParallel<T>(
  workers: number,
  all: Iterator<T> | AsyncIterator<T>,
  work: (entry: T, hasFailed: () => boolean) => Promise<void>,
): Promise<void> {
  let hasFailed = false;
  const worker = async () => {
    try {
      for (let next = await all.next(); next.done !== true && !hasFailed; next = await all.next())
        await work(next.value, () => hasFailed);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  await awaitAll(Array.from({ length: workers }, worker));
}
