/** Connections that all tabs together keep open. A browser has six for one server: two are left for short requests. */
const PLACES = 4;
/** How long a tab keeps its place while others wait for it. */
const TURN_MS = 5_000;
const PLACE = "meridian.stream.";

/** Lets the tabs of one browser take turns where there are more of them than connections. */
export class Turns {
  /** Does the work when it is the turn of this tab. `over`: another tab waits for the place. */
  async take(signal: AbortSignal, work: (over: AbortSignal) => Promise<void>): Promise<void> {
    const over = new AbortController();
    // Without a secure address there are no locks, and each tab is on its own.
    if (!("locks" in navigator)) return await work(over.signal);
    const { locks } = navigator;
    const name = await emptiestPlace(locks);
    await locks.request(name, { signal }, async () => {
      const timer = setInterval(async () => {
        const { pending = [] } = await locks.query();
        if (pending.some((one) => one.name === name)) over.abort();
      }, TURN_MS);
      try {
        await work(over.signal);
      } finally {
        clearInterval(timer);
      }
    });
  }
}

/** The place that the fewest tabs have or wait for. */
async function emptiestPlace(locks: LockManager): Promise<string> {
  const { held = [], pending = [] } = await locks.query();
  const tabs = Array.from({ length: PLACES }, (_, place) => {
    const name = `${PLACE}${place}`;
    return { name, count: [...held, ...pending].filter((one) => one.name === name).length };
  });
  return tabs.reduce((least, one) => (one.count < least.count ? one : least)).name;
}
