/**
 * The results of requests that are under way at once. Where several fail the error is that of the first in the list, whoever answers first: the
 * same mistake gets the same answer each time. Waits for all of them, so they should go to one server.
 */
export async function allOf<T extends readonly unknown[]>(
  requests: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(requests);
  return (await Promise.all(requests)) as unknown as T;
}
