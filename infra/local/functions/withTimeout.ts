/**
 * Waits for some work, but not for ever.
 * @param work what is waited for; it goes on when its time is over
 * @param milliseconds how long
 * @param late makes the error that is thrown when the time is over
 */
export async function withTimeout<T>(work: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
