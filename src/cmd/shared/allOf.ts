/**
 * The results of requests that are under way at once. Where several fail the error is that of the first in the list, whoever answers first: the
 * same mistake gets the same answer each time. Waits for all of them, so they should go to one server.
 */
export async function allOf<T extends readonly Promise<unknown>[] | []>(
  requests: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(requests);
  return Promise.all(requests);
}
