/**
 * Awaits all promises before it throws the error of one: Lambda freezes a function as soon as it has answered, so what is
 * still pending would fail during a later request.
 */
export async function awaitAll<Work extends readonly unknown[] | []>(work: Work) {
  await Promise.allSettled(work);
  return Promise.all(work);
}
