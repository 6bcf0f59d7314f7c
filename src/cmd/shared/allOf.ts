/**
 * The results of concurrent requests. When several fail, the first in the list counts: the same mistake always gets the
 * same message. Waits for all, so they should go to one server.
 */
export async function allOf<T extends readonly Promise<unknown>[] | []>(
  requests: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(requests);
  return Promise.all(requests);
}

/** Resolves also when `work` fails as expected, because an object is gone, say. */
export async function tolerating(isExpected: (error: unknown) => boolean, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
}

const AT_ONCE = 16;

/** Runs `work` for all items in order, for `limit` at a time. Rejects with the first error. */
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
