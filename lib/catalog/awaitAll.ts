/**
 * Awaits all of some concurrent work, also if a part of it fails. Lambda freezes a function as soon as it has answered,
 * so what is still under way then would fail during a later request.
 * @throws the error of the first part that failed
 */
export async function awaitAll<Work extends readonly unknown[] | []>(work: Work) {
  await Promise.allSettled(work);
  return Promise.all(work);
}
