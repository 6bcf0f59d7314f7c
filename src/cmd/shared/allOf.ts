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

/** Requests to one server. */
const AT_ONCE = 16;

/** Does the work for all items, in their order, and for at most `limit` of them at a time. Rejects with the first error. */
export async function atOnce<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  limit: number = AT_ONCE,
): Promise<void> {
  const all = [...items];
  const left = all.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, all.length) }, worker));
}
