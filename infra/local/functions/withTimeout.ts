/**
 * Waits for a promise for a limited time. What it stands for goes on after the timeout.
 * @param milliseconds the limit
 * @param onTimeout makes the error that is thrown then
 */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout()), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
