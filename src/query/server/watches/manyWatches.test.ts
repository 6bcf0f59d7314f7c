import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { failing, identity, object, placed } from "../../testing/fleet.ts";
import { API, APPS, CLUSTERS, type Reader, served } from "../../testing/served.ts";

const SHOP = "DemoApplication.paas.cmft.com:shop";
const HEADERS = { accept: "text/event-stream" };

async function api(options: Parameters<typeof served>[0] = {}) {
  const all = await served(options);
  all.commit({ objects: [object("shop", [placed("eu-1")])] });
  const admin = all.hub.user("admin", { [APPS]: ["*"], [CLUSTERS]: ["*"] });
  const tenant = all.hub.user("tenant", { [APPS]: ["b"] });
  const open = (watches: Readonly<Record<string, string>>, token = admin): Promise<Reader> =>
    all.watch(pathOf(watches), token, HEADERS);
  return { ...all, admin, tenant, open };
}

function pathOf(watches: Readonly<Record<string, string>>): string {
  return `/watches?${new URLSearchParams(watches).toString()}`;
}

interface Sent {
  watch: string;
  type: string;
  object: { metadata?: { name?: string; resourceVersion?: string; annotations?: object }; code?: number };
}

/** The next event; undefined at the end. Heartbeats are left out. */
async function next(reader: Reader): Promise<Sent | undefined> {
  for (;;) {
    const sent = await reader.sent();
    if (sent === undefined) return undefined;
    if (sent["data"] !== undefined) return JSON.parse(sent["data"]) as Sent;
  }
}

/** So many events, by watch: the order between watches is not promised. */
async function take(reader: Reader, count: number): Promise<Record<string, string[]>> {
  const taken: Record<string, string[]> = {};
  for (let at = 0; at < count; at++) {
    const { watch = "", type, object: { metadata, code } = {} } = (await next(reader)) ?? {};
    (taken[watch] ??= []).push([type, code ?? metadata?.name].filter((part) => part !== undefined).join(" "));
  }
  return taken;
}

describe("several watches in one stream", () => {
  test("begin with their rows, each with its bookmark, and go on with their own changes", async () => {
    const { open, commit } = await api();
    const reader = await open({ all: "federatedobjects", broken: "placedobjects?state=Degraded" });
    expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
    expect(await take(reader, 3)).toEqual({ all: [`ADDED ${SHOP}`, "BOOKMARK"], broken: ["BOOKMARK"] });
    commit({ objects: [object("shop", [placed("eu-1", { state: "Degraded" })])] });
    expect(await take(reader, 2)).toEqual({ all: [`MODIFIED ${SHOP}`], broken: [`ADDED ${SHOP}:eu-1`] });
    commit({ objects: [object("shop", [placed("eu-1")])] });
    expect(await take(reader, 2)).toEqual({ all: [`MODIFIED ${SHOP}`], broken: [`DELETED ${SHOP}:eu-1`] });
    reader.leave();
  });

  test("are resumed each after its own version, and a bookmark says at once that nothing is missing", async () => {
    const { open, commit, json, admin } = await api();
    const { body } = await json("/federatedobjects", admin);
    const since = body.metadata.resourceVersion;
    commit({ objects: [object("cart", [placed("eu-1")])] });
    const reader = await open({ old: `federatedobjects?resourceVersion=${since}`, new: "federatedobjects?name=cart" });
    const cart = "ADDED DemoApplication.paas.cmft.com:cart";
    expect(await take(reader, 4)).toEqual({ old: [cart, "BOOKMARK"], new: [cart, "BOOKMARK"] });
    reader.leave();
  });

  test("have the version in each object, and no id, which would be of one watch alone", async () => {
    const { open, commit } = await api();
    const reader = await open({ all: "federatedobjects" });
    await take(reader, 2);
    commit({ objects: [object("cart", [placed("eu-1")])] });
    const sent = await reader.sent();
    expect(Object.keys(sent ?? {})).toEqual(["event", "data"]);
    expect((JSON.parse(sent?.["data"] ?? "{}") as Sent).object.metadata?.resourceVersion).toMatch(/^\d{7,}$/);
    reader.leave();
  });

  test("get bookmarks and a heartbeat every 15 seconds", async () => {
    const { open, clock } = await api();
    const reader = await open({ all: "federatedobjects", why: "causes" });
    await take(reader, 3);
    await clock.advance(15_000);
    expect(await reader.sent()).toEqual({ "": "heartbeat" });
    expect(await take(reader, 2)).toEqual({ all: ["BOOKMARK"], why: ["BOOKMARK"] });
    reader.leave();
  });

  test.each([
    { name: "an unknown version", address: "causes?resourceVersion=1234567", code: 410 },
    { name: "a wrong parameter", address: "causes?groupBy=reason", code: 400 },
    { name: "an unknown resource", address: "secrets", code: 404 },
    { name: "a single row", address: `federatedobjects/${SHOP}`, code: 400 },
    { name: "a path that leaves the API", address: "../../../metrics", code: 404 },
  ])("one with $name fails with $code, and the others go on", async ({ address, code }) => {
    const { open, commit } = await api();
    const reader = await open({ bad: address, good: "federatedobjects" });
    expect(await take(reader, 3)).toEqual({ bad: [`ERROR ${code}`], good: [`ADDED ${SHOP}`, "BOOKMARK"] });
    commit({ objects: [object("shop", [placed("eu-1", { ready: 1 })])] });
    expect(await take(reader, 1)).toEqual({ good: [`MODIFIED ${SHOP}`] });
    reader.leave();
  });

  test("end when all of them have failed", async () => {
    const { open } = await api();
    const reader = await open({ a: "causes?groupBy=reason", b: "secrets" });
    await take(reader, 2);
    expect(await next(reader)).toBeUndefined();
  });

  test("end when this manager leads no more", async () => {
    const { open, term } = await api();
    const reader = await open({ all: "federatedobjects", why: "causes" });
    await take(reader, 3);
    term?.[Symbol.dispose]();
    expect(await next(reader)).toBeUndefined();
  });

  test.each([
    { path: "/watches", headers: HEADERS, code: 400 },
    {
      path: pathOf(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`w${at}`, "causes"]))),
      headers: HEADERS,
      code: 400,
    },
    { path: "/watches?a=causes&a=causes", headers: HEADERS, code: 400 },
    { path: "/watches?A=causes", headers: HEADERS, code: 400 },
    { path: "/watches?a=causes", headers: {}, code: 406 },
  ])("$path is refused as a whole with $code", async ({ path, headers, code }) => {
    const { json, admin } = await api();
    expect((await json(path, admin, { headers })).code).toBe(code);
  });

  test("count each as a watch of the user, and give their places back together", async () => {
    const { open, json, admin, calls } = await api({ limits: { watchesOfUser: 2 } });
    const reader = await open({ a: "causes", b: "federatedobjects" });
    await take(reader, 3);
    expect((await json("/causes?watch=true", admin)).code).toBe(429);
    reader.leave();
    await expect.poll(() => calls).toContainEqual({ resource: "watches", code: 200 });
    expect((await json(pathOf({ a: "causes", b: "causes", c: "causes" }), admin, { headers: HEADERS })).code).toBe(429);
    const again = await open({ a: "causes", b: "causes" });
    expect(again.response.status).toBe(200);
    again.leave();
  });
});

describe("the rights of several watches", () => {
  const cart = object("cart", [failing("eu-1", "QuotaExceeded")], { identity: identity("cart", { namespace: "b" }) });

  test("are those of each watch: what may not be read is refused for this watch alone", async () => {
    const { open, tenant, commit } = await api();
    commit({ objects: [cart] });
    const watches = { own: "namespaces/b/placedobjects", others: "namespaces/a/causes", clusters: "fleetclusters" };
    const reader = await open({ ...watches, all: "federatedobjects" }, tenant);
    expect(await take(reader, 6)).toEqual({
      own: ["ADDED DemoApplication.paas.cmft.com:cart:eu-1", "BOOKMARK"],
      others: ["ERROR 403"],
      clusters: ["ERROR 403"],
      all: ["ADDED DemoApplication.paas.cmft.com:cart", "BOOKMARK"],
    });
    reader.leave();
  });

  test("rows leave with DELETED when the right is taken away, and a token that ends ends all", async () => {
    const { open, tenant, commit, clock, hub } = await api();
    commit({ objects: [cart] });
    const reader = await open({ rows: "federatedobjects", pairs: "placedobjects" }, tenant);
    await take(reader, 4);
    hub.revoke("tenant", "b");
    await clock.settle(5_000);
    await clock.settle(5_000);
    expect(await take(reader, 2)).toEqual({
      rows: ["DELETED DemoApplication.paas.cmft.com:cart"],
      pairs: ["DELETED DemoApplication.paas.cmft.com:cart:eu-1"],
    });
    hub.tokens.delete(tenant);
    await clock.settle(5_000);
    await clock.settle(5_000);
    const last = ["BOOKMARK", "ERROR 401"];
    expect(await take(reader, 4)).toEqual({ rows: last, pairs: last });
    expect(await next(reader)).toBeUndefined();
  });
});

test("who does not read several watches is told 410 for each, also for those without events", async () => {
  const { commit, port, admin, clock } = await api();
  commit({ objects: Array.from({ length: 20_000 }, (_, index) => object(`app-${index}`, [placed("eu-1")])) });
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  const path = pathOf({ rows: "federatedobjects", quiet: "federatedobjects?name=none" });
  const head = [`GET ${API}${path} HTTP/1.1`, "host: x", `authorization: Bearer ${admin}`, "accept: text/event-stream"];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  // Of each watch the reviews and the end; the heartbeat; the time to read.
  await expect.poll(() => clock.pending).toBe(6);
  await clock.settle(30_000);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text = `${text}${piece}`.slice(-4_000)));
  socket.resume();
  for (const watch of ["rows", "quiet"])
    await expect.poll(() => text).toMatch(new RegExp(`"watch":"${watch}","type":"ERROR".*"code":410`));
  socket.destroy();
});
