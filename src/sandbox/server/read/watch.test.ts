import { expect, onTestFinished, test } from "vitest";
import type { SandboxClock } from "../../index.ts";
import type { WatchLine } from "../../testing/httpsClient.ts";
import { configMap } from "../../testing/objects.ts";
import { useCluster } from "../../testing/useCluster.ts";

/** Bookmarks, timeouts and forgotten history. Watch events are tested in test/conformance. */

/** The test runs the timers; the time of day is the real one. */
class SteppedClock implements SandboxClock {
  readonly #timers = new Set<{ ms: number; callback: () => void }>();

  now() {
    return Date.now();
  }

  after(ms: number, callback: () => void): Disposable {
    const timer = { ms, callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** Runs the timers of that length. */
  run(ms: number) {
    for (const timer of [...this.#timers]) {
      if (timer.ms !== ms) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

const clock = new SteppedClock();
const used = useCluster({ clock });

let count = 0;
async function configMaps(): Promise<string> {
  const name = `test-${++count}`;
  await used.client.send("POST", "/api/v1/namespaces", { metadata: { name } });
  return `/api/v1/namespaces/${name}/configmaps`;
}

async function open(path: string) {
  const watch = await used.client.watch(path);
  onTestFinished(() => watch[Symbol.asyncDispose]());
  return watch;
}

const changesIn = (lines: readonly WatchLine[]) => lines.map(({ type, object }) => `${type} ${object.metadata.name}`);

test("a watch gets a bookmark each minute when it wants them", async () => {
  const path = await configMaps();
  const with_ = await open(
    `${path}?watch=true&resourceVersion=${used.cluster.resourceVersion()}&allowWatchBookmarks=true`,
  );
  const without = await open(`${path}?watch=true&resourceVersion=${used.cluster.resourceVersion()}`);
  const other = await configMaps();
  clock.run(60_000);
  expect(await with_.next()).toMatchObject({
    type: "BOOKMARK",
    object: { metadata: { resourceVersion: used.cluster.resourceVersion() } },
  });
  clock.run(60_000);
  expect((await with_.next())?.type).toBe("BOOKMARK");
  await used.client.send("POST", other, configMap("elsewhere"));
  await used.client.send("POST", path, configMap("a"));
  expect(changesIn(await without.take(1))).toEqual(["ADDED a"]);
});

test("a watch ends when its time is over, and when all watches are cut", async () => {
  const path = await configMaps();
  const short = await open(`${path}?watch=true&timeoutSeconds=7`);
  const long = await open(`${path}?watch=true&timeoutSeconds=700`);
  clock.run(7000);
  expect(await short.next()).toBeUndefined();
  used.cluster.faults.cutWatches();
  expect(await long.next()).toBeUndefined();
});
