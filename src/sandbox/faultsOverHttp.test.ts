import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { configMap } from "./testing/objects.ts";
import { useCluster } from "./testing/useCluster.ts";

/** Faults as a client meets them on its connections. */

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const HOUR = 3_600_000;
/** Upper bound for a busy machine. */
const PATIENCE = { timeout: 30_000 };

describe.each([
  { protocol: "HTTP/2", http1: false },
  { protocol: "HTTP/1.1", http1: true },
])("over $protocol", ({ http1 }) => {
  const used = useCluster({ random: () => 0.5 }, { http1 });
  beforeAll(() => used.client.send("POST", CONFIG_MAPS, configMap("there")));

  afterEach(async () => {
    used.cluster.faults.clear();
    await untilServing();
  });

  const read = () => used.client.send("GET", `${CONFIG_MAPS}/there`);
  const untilServing = () => vi.waitFor(async () => expect((await read()).status).toBe(200), PATIENCE);
  const revision = async () =>
    (await used.client.send("GET", CONFIG_MAPS)).body["metadata"] as { resourceVersion: string };
  let count = 0;
  const change = () => used.client.patch(`${CONFIG_MAPS}/there`, { data: { count: String(++count) } }, "merge");
  /** A watch that starts at the present revision. */
  async function openWatch() {
    const { resourceVersion } = await revision();
    return used.client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${resourceVersion}`);
  }

  describe("a partition", () => {
    test("that refuses cuts watches and requests, accepts no connection, and ends", async () => {
      await using watch = await openWatch();
      used.cluster.faults.set({ partition: "refuse" });
      await expect(watch.next()).rejects.toThrow();
      await expect(read()).rejects.toThrow();
      await vi.waitFor(async () => {
        const socket = connect(Number(new URL(used.cluster.url).port), "127.0.0.1");
        const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
        expect(error.code).toBe("ECONNREFUSED");
      }, PATIENCE);
      used.cluster.faults.clear();
      await untilServing();
    });

    test("that resets cuts watches and requests, and is over at once", async () => {
      await using watch = await openWatch();
      used.cluster.faults.set({ partition: "reset" });
      await expect(watch.next()).rejects.toThrow();
      await expect(read()).rejects.toThrow();
      await expect(read()).rejects.toThrow();
      used.cluster.faults.clear();
      expect((await read()).status).toBe(200);
    });

    test("that is silent answers nothing and keeps everything open", async () => {
      await using watch = await openWatch();
      used.cluster.faults.set({ partition: "silent" });
      const answer = used.client.send("GET", `${CONFIG_MAPS}/there`, undefined, { signal: AbortSignal.timeout(200) });
      await expect(answer).rejects.toMatchObject({ name: "TimeoutError" });
      // A change from inside the cluster reaches the watch after the partition.
      await used.cluster.local.patch({ group: "", plural: "configmaps" }, "default", "there", {
        data: { silent: "yes" },
      });
      let heard = false;
      const next = watch.next().then((line) => {
        heard = true;
        return line;
      });
      const still = used.client.send("GET", `${CONFIG_MAPS}/there`, undefined, { signal: AbortSignal.timeout(100) });
      await expect(still).rejects.toMatchObject({ name: "TimeoutError" });
      expect(heard).toBe(false);
      used.cluster.faults.clear();
      expect(await next).toMatchObject({ type: "MODIFIED", object: { data: { silent: "yes" } } });
      expect((await read()).status).toBe(200);
    });
  });

  describe("a server that", () => {
    test("is slow answers late, and only what it was asked to", async () => {
      used.cluster.faults.set({ latencyMs: [50, 150], only: ({ verb }) => verb === "get" });
      const answers: string[] = [];
      const start = performance.now();
      const slow = read().then(({ status }) => answers.push(`get ${status}`));
      const quick = used.client.send("GET", CONFIG_MAPS).then(({ status }) => answers.push(`list ${status}`));
      await Promise.all([slow, quick]);
      expect(answers).toEqual(["list 200", "get 200"]);
      // The cluster's random numbers are 0.5, so the latency is the mean of both bounds.
      expect(performance.now() - start).toBeGreaterThan(98);
    });

    test.each([
      { errorCode: undefined, code: 500, reason: "InternalError" },
      { errorCode: 503, code: 503, reason: "ServiceUnavailable" },
      { errorCode: 504, code: 504, reason: "Timeout" },
    ] as const)("fails answers $code", async ({ errorCode, code, reason }) => {
      used.cluster.faults.set({ errorRate: 0.6, errorCode });
      const { status, body } = await read();
      expect(status).toBe(code);
      expect(body).toMatchObject({ kind: "Status", status: "Failure", code, reason });
      used.cluster.faults.set({ errorRate: 0.4 });
      expect((await read()).status).toBe(200);
    });

    test("has too much to do says when to come again", async () => {
      used.cluster.faults.set({ throttleRate: 1, retryAfterSeconds: 7 });
      const { status, headers, body } = await change();
      expect(status).toBe(429);
      expect(headers["retry-after"]).toBe("7");
      expect(body).toMatchObject({ reason: "TooManyRequests", details: { retryAfterSeconds: 7 } });
    });

    test("sheds its watches lets them go on from where they were", async () => {
      await using watch = await openWatch();
      await change();
      const seen = await watch.next();
      used.cluster.faults.cutWatches();
      expect(await watch.next()).toBeUndefined();
      await change();
      const from = seen?.object.metadata.resourceVersion ?? "";
      await using again = await used.client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${from}`);
      expect((await again.next())?.object["data"]).toMatchObject({ count: String(count) });
    });

    test("ends each watch after a while", async () => {
      used.cluster.faults.set({ watchLifetimeMs: 30 });
      await using watch = await openWatch();
      expect(await watch.next()).toBeUndefined();
    });

    test("compacts has no next page and no old watch any more", async () => {
      await used.client.send("POST", CONFIG_MAPS, configMap("another"));
      const page = await used.client.send("GET", `${CONFIG_MAPS}?limit=1`);
      const { continue: token = "", resourceVersion = "" } = page.body["metadata"] as Record<string, string>;
      expect(token).not.toBe("");
      await change();
      used.cluster.faults.compact();
      const next = await used.client.send("GET", `${CONFIG_MAPS}?limit=1&continue=${encodeURIComponent(token)}`);
      expect(next.body).toMatchObject({ code: 410, reason: "Expired" });
      expect(next.body["metadata"]).toHaveProperty("continue");
      await using watch = await used.client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${resourceVersion}`);
      expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    });

    test("crashes is gone with its connections, and back with its objects and without a history", async () => {
      const { resourceVersion } = await revision();
      await change();
      await using watch = await openWatch();
      used.cluster.faults.crash();
      await expect(watch.next()).rejects.toThrow();
      await expect(read()).rejects.toThrow();
      used.cluster.faults.recover();
      await untilServing();
      expect((await read()).body["data"]).toMatchObject({ count: String(count) });
      await using old = await used.client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${resourceVersion}`);
      expect(await old.next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
    });

    test("has a wrong clock dates its objects by it", async () => {
      used.cluster.faults.set({ clockSkewMs: -HOUR });
      const name = "early";
      const { body } = await used.client.send("POST", CONFIG_MAPS, configMap(name, { a: "1" }));
      const { creationTimestamp, managedFields } = body["metadata"] as {
        creationTimestamp: string;
        managedFields: { time: string }[];
      };
      const off = Date.now() - Date.parse(creationTimestamp);
      expect(Math.abs(off - HOUR)).toBeLessThan(60_000);
      expect(managedFields[0]?.time).toBe(creationTimestamp);
    });
  });
});
