import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type SandboxCluster, type SandboxClock, startSandboxCluster } from "../../index.ts";
import { HttpsClient, type WatchLine } from "../../testing/httpsClient.ts";
import { configMap } from "../../testing/objects.ts";

/** Timers run when the test says so; the time of day is the real one. */
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

  /** Runs the timers that wait for so long. */
  run(ms: number) {
    for (const timer of [...this.#timers]) {
      if (timer.ms !== ms) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

const clock = new SteppedClock();
let cluster: SandboxCluster;
let client: HttpsClient;

beforeAll(async () => {
  cluster = await startSandboxCluster({ name: "test", controllers: false, clock });
  client = new HttpsClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
});

let count = 0;
async function configMaps(): Promise<string> {
  const name = `test-${++count}`;
  await client.send("POST", "/api/v1/namespaces", { metadata: { name } });
  return `/api/v1/namespaces/${name}/configmaps`;
}

async function open(path: string) {
  const watch = await client.watch(path);
  onTestFinished(() => watch[Symbol.asyncDispose]());
  return watch;
}

const changesIn = (lines: readonly WatchLine[]) => lines.map(({ type, object }) => `${type} ${object.metadata.name}`);

describe("a watch", () => {
  test("sends what there is, and then every change in order", async () => {
    const path = await configMaps();
    await client.send("POST", path, configMap("a"));
    const watch = await open(`${path}?watch=true`);
    await client.send("POST", path, configMap("b"));
    await client.patch(`${path}/a`, { data: { x: "1" } }, "merge");
    await client.send("DELETE", `${path}/b`);
    const lines = await watch.take(4);
    expect(changesIn(lines)).toEqual(["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
    const revisions = lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(revisions).toEqual(revisions.toSorted((one, other) => one - other));
    expect(revisions.at(-1)).toBe(Number(cluster.resourceVersion()));
  });

  test("goes on from the revision that the client knows", async () => {
    const path = await configMaps();
    await client.send("POST", path, configMap("a"));
    const { resourceVersion } = (await client.send("GET", path)).body["metadata"] as { resourceVersion: string };
    await client.send("POST", path, configMap("b"));
    const watch = await open(`${path}?watch=true&resourceVersion=${resourceVersion}`);
    expect(changesIn(await watch.take(1))).toEqual(["ADDED b"]);
  });

  test("is silent about what comes before a revision of the future", async () => {
    const path = await configMaps();
    const watch = await open(`${path}?watch=true&resourceVersion=${Number(cluster.resourceVersion()) + 1}`);
    await client.send("POST", path, configMap("a"));
    await client.send("POST", path, configMap("b"));
    expect(changesIn(await watch.take(1))).toEqual(["ADDED b"]);
  });

  test("from a revision that is forgotten ends with 410", async () => {
    const path = await configMaps();
    await client.send("POST", path, configMap("a"));
    cluster.compact();
    const watch = await open(`${path}?watch=true&resourceVersion=1`);
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(await watch.next()).toBeUndefined();
  });

  test("with a selector sends what comes into view as new and what leaves it as deleted", async () => {
    const path = await configMaps();
    const watch = await open(`${path}?watch=true&labelSelector=seen%3Dyes`);
    await client.send("POST", path, configMap("other"));
    await client.send("POST", path, configMap("a", { value: "1" }));
    await client.patch(`${path}/a`, { metadata: { labels: { seen: "yes" } } }, "merge");
    await client.patch(`${path}/a`, { data: { value: "2" } }, "merge");
    await client.patch(`${path}/a`, { metadata: { labels: null }, data: { value: "3" } }, "merge");
    const lines = await watch.take(3);
    expect(changesIn(lines)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    // As it last was in view, with the revision of the change.
    expect(lines[2]?.object).toMatchObject({ data: { value: "2" }, metadata: { labels: { seen: "yes" } } });
    expect(lines[2]?.object.metadata.resourceVersion).toBe(cluster.resourceVersion());
  });

  test("that wants initial events gets a mark where they end", async () => {
    const path = await configMaps();
    await client.send("POST", path, configMap("a"));
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await open(`${path}?${query}`);
    const [added, bookmark] = await watch.take(2);
    expect(added?.type).toBe("ADDED");
    expect(bookmark).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          resourceVersion: cluster.resourceVersion(),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
  });

  test("gets a bookmark each minute when it wants them", async () => {
    const path = await configMaps();
    const with_ = await open(
      `${path}?watch=true&resourceVersion=${cluster.resourceVersion()}&allowWatchBookmarks=true`,
    );
    const without = await open(`${path}?watch=true&resourceVersion=${cluster.resourceVersion()}`);
    const other = await configMaps();
    clock.run(60_000);
    expect(await with_.next()).toMatchObject({
      type: "BOOKMARK",
      object: { metadata: { resourceVersion: cluster.resourceVersion() } },
    });
    clock.run(60_000);
    expect((await with_.next())?.type).toBe("BOOKMARK");
    await client.send("POST", other, configMap("elsewhere"));
    await client.send("POST", path, configMap("a"));
    expect(changesIn(await without.take(1))).toEqual(["ADDED a"]);
  });

  test("ends when its time is over, and when all watches are cut", async () => {
    const path = await configMaps();
    const short = await open(`${path}?watch=true&timeoutSeconds=7`);
    const long = await open(`${path}?watch=true&timeoutSeconds=700`);
    clock.run(7000);
    expect(await short.next()).toBeUndefined();
    cluster.faults.cutWatches();
    expect(await long.next()).toBeUndefined();
  });

  test("of metadata only sends no more than that", async () => {
    const path = await configMaps();
    await client.send("POST", path, configMap("a", { key: "value" }));
    const accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    const watch = await client.watch(`${path}?watch=true`, { headers: { accept } });
    onTestFinished(() => watch[Symbol.asyncDispose]());
    const line = await watch.next();
    expect(line?.object).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "a" },
    });
    expect(line?.object).not.toHaveProperty("data");
  });

  test("as a Table describes its columns once", async () => {
    const path = await configMaps();
    await client.send("POST", path, configMap("a"));
    await client.send("POST", path, configMap("b"));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const watch = await client.watch(`${path}?watch=true`, { headers: { accept } });
    onTestFinished(() => watch[Symbol.asyncDispose]());
    const [first, second] = await watch.take(2);
    expect(first?.object).toMatchObject({
      kind: "Table",
      columnDefinitions: [{ name: "Name" }, { name: "Data" }, { name: "Age" }],
    });
    expect((second?.object["columnDefinitions"] as unknown[] | undefined) ?? []).toEqual([]);
    expect(second?.object).toMatchObject({
      rows: [{ cells: ["b", expect.anything() as unknown, expect.anything() as unknown] }],
    });
  });
});

describe("faults", () => {
  test("a silent partition holds everything back, and lets it come when it ends", async () => {
    const path = await configMaps();
    const watch = await open(`${path}?watch=true`);
    cluster.faults.set({ partition: "silent" });
    onTestFinished(() => cluster.faults.clear());
    await cluster.local.create(
      { group: "", plural: "configmaps" },
      {
        ...configMap("a"),
        metadata: { name: "a", namespace: path.split("/")[4] ?? "" },
      },
    );
    const answer = client.send("GET", path, undefined, {}).then(
      () => "answered",
      () => "failed",
    );
    const line = watch.next();
    const first = await Promise.race([
      answer,
      line.then(() => "event"),
      new Promise((resolve) => setImmediate(() => resolve("silence"))),
    ]);
    expect(first).toBe("silence");
    cluster.faults.clear();
    expect((await line)?.object.metadata.name).toBe("a");
  });

  test("a crashed server is gone until it recovers, on the same port, and remembers no history", async () => {
    const path = await configMaps();
    await client.send("POST", path, configMap("a"));
    const revision = cluster.resourceVersion();
    await client.send("POST", path, configMap("b"));
    const watch = await open(`${path}?watch=true`);
    await watch.take(2);
    cluster.faults.crash();
    await expect(watch.next().then((line) => line ?? Promise.reject(new Error("ended")))).rejects.toThrow();
    await expect(client.send("GET", path)).rejects.toThrow();
    cluster.faults.recover();
    const again = new HttpsClient(cluster);
    onTestFinished(() => again.close());
    await expect
      .poll(() =>
        again.list(path).then(
          (list) => list.length,
          () => 0,
        ),
      )
      .toBe(2);
    const old = await again.watch(`${path}?watch=true&resourceVersion=${revision}`);
    expect(await old.next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
    await old[Symbol.asyncDispose]();
  });

  test("a throttled request says when to come again", async () => {
    cluster.faults.set({ throttleRate: 1, retryAfterSeconds: 3 });
    onTestFinished(() => cluster.faults.clear());
    const answer = await client.send("GET", "/api/v1/namespaces");
    expect(answer.status).toBe(429);
    expect(answer.headers["retry-after"]).toBe("3");
  });
});
