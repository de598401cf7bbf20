/**
 * Awaits all, also if a part fails, whose error is thrown then: Lambda freezes a function as soon as it has answered, so
 * what is still under way would fail during a later request.
 */
export async function awaitAll<Work extends readonly unknown[] | []>(work: Work) {
  await Promise.allSettled(work);
  return Promise.all(work);
}
