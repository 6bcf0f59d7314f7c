import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { identity, object, placed } from "../testing/fleet.ts";
import { API, APPS, served, type StreamedEvent } from "../testing/served.ts";

const SHOP = "DemoApplication.paas.cmft.com:shop";

async function api(options: Parameters<typeof served>[0] = {}) {
  const all = await served(options);
  all.commit({ objects: [object("shop", [placed("eu-1")])] });
  return { ...all, admin: all.hub.user("admin", { [APPS]: ["*"] }), tenant: all.hub.user("tenant", { [APPS]: ["b"] }) };
}

const named = (event: StreamedEvent | undefined): string[] | undefined =>
  event && [event.type, event.object.metadata.name];

describe("a watch", () => {
  test("begins with all rows, goes on with changes, and tells of rows that leave the filter", async () => {
    const { watch, admin, commit } = await api();
    const reader = await watch("/federatedobjects?watch=true&state=Available", admin);
    expect(reader.response.headers.get("content-type")).toBe("application/json");
    expect(named(await reader.event())).toEqual(["ADDED", SHOP]);
    commit({ objects: [object("shop", [placed("eu-1", { ready: 1 })])] });
    expect(named(await reader.event())).toEqual(["MODIFIED", SHOP]);
    commit({ objects: [object("shop", [placed("eu-1", { state: "Degraded" })])] });
    expect(named(await reader.event())).toEqual(["DELETED", SHOP]);
    reader.leave();
  });

  test("goes on after the version of a list", async () => {
    const { watch, json, admin, commit } = await api();
    const { body } = await json("/federatedobjects", admin);
    commit({ objects: [object("cart", [placed("eu-1")])] });
    const reader = await watch(`/federatedobjects?watch=true&resourceVersion=${body.metadata.resourceVersion}`, admin);
    expect(named(await reader.event())).toEqual(["ADDED", "DemoApplication.paas.cmft.com:cart"]);
    reader.leave();
  });

  test("marks the end of the first rows, and sends bookmarks as heartbeats, for whoever wants them", async () => {
    const { watch, admin, clock } = await api();
    const reader = await watch("/federatedobjects?watch=1&allowWatchBookmarks=true&sendInitialEvents=true", admin);
    await reader.event();
    const first = await reader.event();
    expect([first?.type, first?.object.metadata.annotations]).toEqual([
      "BOOKMARK",
      { "k8s.io/initial-events-end": "true" },
    ]);
    await clock.advance(15_000);
    expect((await reader.event())?.type).toBe("BOOKMARK");
    reader.leave();
  });

  test("sends blank lines as heartbeats to others", async () => {
    const { watch, admin, clock } = await api();
    const reader = await watch("/federatedobjects?watch=true", admin);
    await reader.event();
    await clock.advance(15_000);
    expect(await reader.line()).toBe("");
    reader.leave();
  });

  test("is of tables for kubectl", async () => {
    const { ask, admin } = await api();
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const response = await ask("/federatedobjects?watch=true&timeoutSeconds=1", admin, { headers });
    const bytes = response.body?.getReader();
    const { value } = (await bytes?.read()) ?? {};
    const event = JSON.parse(new TextDecoder().decode(value)) as { type: string; object: { kind: string; rows: [] } };
    expect([event.type, event.object.kind, event.object.rows.length]).toEqual(["ADDED", "Table", 1]);
    await bytes?.cancel();
  });

  test("ends after the time that its reader wants", async () => {
    const { watch, admin, clock } = await api();
    const reader = await watch("/federatedobjects?watch=true&timeoutSeconds=7", admin);
    await reader.event();
    await clock.advance(7_000);
    expect(await reader.event()).toBeUndefined();
  });

  test.each([
    { version: "1234567", code: 410 },
    { version: "yesterday", code: 400 },
  ])("after version $version is refused with $code before it begins", async ({ version, code }) => {
    const { json, admin } = await api();
    expect((await json(`/federatedobjects?watch=true&resourceVersion=${version}`, admin)).code).toBe(code);
  });

  test("ends when this manager leads no more", async () => {
    const { watch, admin, term } = await api();
    const reader = await watch("/federatedobjects?watch=true", admin);
    await reader.event();
    term?.[Symbol.dispose]();
    expect(await reader.event()).toBeUndefined();
  });

  test("gives its place back when its reader leaves", async () => {
    const { watch, json, admin, clock, calls } = await api({ limits: { watchesOfUser: 1 } });
    const reader = await watch("/federatedobjects?watch=true", admin);
    await reader.event();
    expect((await json("/federatedobjects?watch=true", admin)).code).toBe(429);
    reader.leave();
    await expect.poll(() => calls.filter(({ code }) => code === 200)).toHaveLength(1);
    await clock.advance(10_000);
    const second = await watch("/federatedobjects?watch=true", admin);
    expect(second.response.status).toBe(200);
    second.leave();
  });
});

describe("the rights of a watch", () => {
  const cart = object("cart", [placed("eu-1")], { identity: identity("cart", { namespace: "b" }) });

  test("the first object of a namespace shows at once, and one of another namespace never", async () => {
    const { watch, tenant, commit, clock, hub } = await api();
    const reader = await watch("/federatedobjects?watch=true&allowWatchBookmarks=true", tenant);
    expect((await reader.event())?.type).toBe("BOOKMARK");
    commit({ objects: [cart, object("hidden", [placed("eu-1")])] });
    const review = "tenant list demoapplications.paas.cmft.com/b";
    await expect
      .poll(async () => {
        await clock.advance(100);
        return hub.accessReviews.includes(review);
      })
      .toBe(true);
    expect(named(await reader.event())).toEqual(["ADDED", "DemoApplication.paas.cmft.com:cart"]);
    reader.leave();
  });

  test("rows leave with DELETED when the right is taken away", async () => {
    const { watch, tenant, commit, clock, hub } = await api();
    commit({ objects: [cart] });
    const reader = await watch("/federatedobjects?watch=true", tenant);
    expect((await reader.event())?.type).toBe("ADDED");
    hub.revoke("tenant", "b");
    await clock.settle(5_000);
    await clock.settle(5_000);
    expect(named(await reader.event())).toEqual(["DELETED", "DemoApplication.paas.cmft.com:cart"]);
    reader.leave();
  });

  test("a watch ends with 401 when its token is worth nothing any more", async () => {
    const { watch, admin, clock, hub } = await api();
    const reader = await watch("/federatedobjects?watch=true", admin);
    await reader.event();
    hub.tokens.delete(admin);
    await clock.settle(5_000);
    await clock.settle(5_000);
    expect(await reader.event()).toMatchObject({ type: "ERROR", object: { code: 401, reason: "Unauthorized" } });
    expect(await reader.event()).toBeUndefined();
  });

  test("a watch outlives a hub that does not answer for a moment, and not for half a minute", async () => {
    const { watch, admin, clock, hub } = await api();
    const reader = await watch("/federatedobjects?watch=true&allowWatchBookmarks=true", admin);
    await reader.event();
    hub.failure = new Error("down");
    for (let second = 0; second < 20; second += 5) await clock.settle(5_000);
    hub.failure = undefined;
    await clock.settle(5_000);
    hub.failure = new Error("down");
    for (let second = 0; second < 50; second += 5) await clock.settle(5_000);
    let last = await reader.event();
    for (let next = last; next !== undefined; next = await reader.event()) last = next;
    expect(last).toMatchObject({ type: "ERROR", object: { code: 503 } });
  });
});

describe("server-sent events", () => {
  const headers = { accept: "text/event-stream" };

  test("are resumed after the last id, with what was missed", async () => {
    const { watch, admin, commit, clock } = await api();
    const reader = await watch("/federatedobjects", admin, headers);
    expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
    expect(await reader.sent()).toMatchObject({ event: "ADDED", id: "0" });
    const mark = await reader.sent();
    expect(mark).toMatchObject({ event: "BOOKMARK", id: expect.stringMatching(/^\d{7,}$/) });
    reader.leave();
    commit({ objects: [object("cart", [placed("eu-1")])] });
    const again = await watch("/federatedobjects", admin, { ...headers, "last-event-id": mark?.["id"] ?? "" });
    const next = await again.sent();
    expect([next?.["event"], named(JSON.parse(next?.["data"] ?? "{}"))?.[1]]).toEqual([
      "ADDED",
      "DemoApplication.paas.cmft.com:cart",
    ]);
    await clock.advance(15_000);
    expect(await again.line("\n\n")).toBe(": heartbeat");
    again.leave();
  });

  test("a reader that left among the first rows begins anew", async () => {
    const { watch, admin } = await api();
    const again = await watch("/federatedobjects", admin, { ...headers, "last-event-id": "0" });
    expect(await again.sent()).toMatchObject({ event: "ADDED" });
    again.leave();
  });
});

describe("a reader that does not read", () => {
  async function silent() {
    const all = await api();
    all.commit({ objects: Array.from({ length: 20_000 }, (_, index) => object(`app-${index}`, [placed("eu-1")])) });
    const socket = connect(all.port, "127.0.0.1");
    socket.pause();
    const head = [`GET ${API}/federatedobjects?watch=true HTTP/1.1`, "host: x", `authorization: Bearer ${all.admin}`];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    // The reviews, the heartbeat, the end of the watch, and the time to read.
    await expect.poll(() => all.clock.pending).toBe(4);
    return { ...all, socket };
  }

  test("is told 410 after the events that it did not take", async () => {
    const { socket, clock } = await silent();
    await clock.settle(30_000);
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => (text = `${text}${piece}`.slice(-2_000)));
    socket.resume();
    await expect.poll(() => text).toContain('"reason":"Expired","code":410');
    socket.destroy();
  });

  test("is cut off if it never reads", async () => {
    const { socket, clock, calls } = await silent();
    await clock.settle(30_000);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await clock.settle(5_000);
    socket.resume();
    await closed;
    expect(calls).toEqual([{ resource: "federatedobjects", code: 200 }]);
  });
});
