import { describe, expect, test } from "vitest";
import { MemberReadError } from "../members/index.ts";
import { FakeMembers, silent } from "../testing/fakeMembers.ts";
import { identity, object, placed } from "../testing/fleet.ts";
import { APPS, served } from "../testing/served.ts";

const PARTS = ["log", "events", "pods"].map((part) => `placedobjects/${part}.query.federation.paas.cmft.com`);
const SHOP = "/namespaces/a/placedobjects/DemoApplication.paas.cmft.com:shop:eu-1";
const OTHERS = "/namespaces/b/placedobjects/DemoApplication.paas.cmft.com";

const LIMITS = { requests: { perSecond: 1, burst: 50 }, ofUser: 2, ofMember: 3, all: 100, bytes: 64 };

async function fleet() {
  const api = await served({ limits: { members: LIMITS, requests: { perSecond: 100, burst: 1_000 } } });
  api.commit({
    objects: [
      object("shop", [placed("eu-1")]),
      object("secret-app", [placed("eu-1")], { identity: identity("secret-app", { namespace: "b" }) }),
    ],
  });
  const members = new FakeMembers();
  api.server.lead(api.engine, { members });
  const rights = (...namespaces: string[]) =>
    Object.fromEntries([APPS, ...PARTS].map((resource) => [resource, namespaces]));
  return {
    ...api,
    members,
    rights,
    tenant: api.hub.user("tenant", rights("a")),
    admin: api.hub.user("admin", rights("*")),
    audits: () => api.lines.filter((line) => line["event_reason"] === "MemberRead"),
  };
}

describe("who may read on members", () => {
  test.each(["log", "events", "pods"])("%s needs a right of its own", async (part) => {
    const { json, hub, members } = await fleet();
    const reader = hub.user("reader", { [APPS]: ["a"] });
    const { code, body } = await json(`${SHOP}/${part}`, reader);
    expect([code, body.message]).toEqual([403, expect.stringContaining(`placedobjects/${part} in namespace a`)]);
    expect(members.asked).toEqual([]);
    expect(hub.accessReviews).toContain(`reader get placedobjects/${part}.query.federation.paas.cmft.com/a`);
  });

  test("the right on the row is needed as well", async () => {
    const { json, hub, members } = await fleet();
    const reader = hub.user("reader", { [PARTS[0] ?? ""]: ["a"] });
    expect((await json(`${SHOP}/log`, reader)).code).toBe(403);
    expect(members.asked).toEqual([]);
  });

  test.each(["log", "events", "pods"])(
    "%s of others' objects answers as for an object that is not there",
    async (part) => {
      const { json, tenant, members, hub } = await fleet();
      const there = await json(`${OTHERS}:secret-app:eu-1/${part}`, tenant);
      const reviews = [...hub.accessReviews];
      const gone = await json(`${OTHERS}:nothing-app:eu-1/${part}`, tenant);
      expect(gone).toEqual(there);
      expect([there.code, members.asked]).toEqual([403, []]);
      // The time of an answer tells nothing, either: the reviews are the same, and the second ones are known.
      expect(hub.accessReviews).toEqual(reviews);
    },
  );

  test("an object or a cluster that is not there is 404 for whoever may read there", async () => {
    const { json, admin, members } = await fleet();
    expect((await json(`${OTHERS}:nothing:eu-1/log`, admin)).code).toBe(404);
    expect((await json(SHOP.replace("eu-1", "us-1").concat("/log"), admin)).code).toBe(404);
    expect(members.asked).toEqual([]);
  });

  test("without --query-members, nobody may", async () => {
    const { server, engine, json, admin } = await fleet();
    server.lead(engine);
    const { code, body } = await json(`${SHOP}/log`, admin);
    expect([code, body.message]).toEqual([404, expect.stringContaining("--query-members")]);
  });

  test("every request leaves one line for the audit, without content", async () => {
    const { ask, tenant, audits, lines } = await fleet();
    await (await ask(`${SHOP}/log?tailLines=5`, tenant)).text();
    await (await ask(`${OTHERS}:secret-app:eu-1/log`, tenant)).text();
    await expect.poll(audits).toHaveLength(2);
    expect(audits()).toMatchObject([
      {
        user: "tenant",
        part: "log",
        namespace: "a",
        object: expect.stringContaining(":shop:eu-1"),
        code: 200,
        bytes: 14,
        pod: "shop-1",
      },
      {
        user: "tenant",
        part: "log",
        namespace: "b",
        object: expect.stringContaining(":secret-app:eu-1"),
        code: 403,
        bytes: 0,
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("line 1");
  });
});

describe("a log", () => {
  test("is plain text that no browser takes for a page", async () => {
    const { ask, tenant, members } = await fleet();
    members.pieces = async function* () {
      yield "<script>alert(1)</script>";
    };
    const { status, headers, text } = await ask(`${SHOP}/log`, tenant).then(async (response) => ({
      ...{ status: response.status, headers: response.headers, text: await response.text() },
    }));
    expect([status, text]).toEqual([200, "<script>alert(1)</script>"]);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("sandbox");
  });

  test.each([
    { query: "", want: { tailLines: 100, follow: false, previous: false } },
    {
      query: "?pod=shop-1&container=web&tailLines=10000&sinceSeconds=60&follow&previous=true",
      want: { pod: "shop-1", container: "web", tailLines: 10_000, sinceSeconds: 60, follow: true, previous: true },
    },
  ])("$query is passed on", async ({ query, want }) => {
    const { ask, tenant, members } = await fleet();
    await (await ask(`${SHOP}/log${query}`, tenant)).text();
    expect(members.options).toMatchObject([want]);
  });

  test.each([
    "tailLines=10001",
    "tailLines=0",
    "tailLines=all",
    "sinceSeconds=-1",
    "sinceTime=yesterday",
    "sinceSeconds=5&sinceTime=2026-01-31T14:02:00Z",
    "timestamps=perhaps",
    "timeoutSeconds=901",
    "pod=../secrets",
    "container=a%2Fb",
    "follow=perhaps",
    "limitBytes=1",
  ])("?%s is 400, and no member is asked", async (query) => {
    const { json, tenant, members } = await fleet();
    const { code, body } = await json(`${SHOP}/log?${query}`, tenant);
    expect([code, body.message]).toEqual([400, expect.stringContaining(query.split("=")[0] ?? "")]);
    expect(members.asked).toEqual([]);
  });

  test("ends after its bytes, and says so", async () => {
    const { ask, tenant, members } = await fleet();
    members.pieces = async function* () {
      for (;;) yield "x".repeat(40);
    };
    const text = await (await ask(`${SHOP}/log?follow=true`, tenant)).text();
    expect(text).toBe(`${"x".repeat(64)}\n[the log ends here, after 64 bytes; ask for fewer lines]\n`);
    await expect.poll(() => members.open).toBe(0);
  });

  test("that breaks off says so", async () => {
    const { ask, tenant, members } = await fleet();
    members.pieces = async function* () {
      yield "one\n";
      throw new MemberReadError("Unreachable", "gone");
    };
    expect(await (await ask(`${SHOP}/log`, tenant)).text()).toBe("one\n\n[the member broke off the log]\n");
  });

  test.each([
    { failure: new MemberReadError("Unreachable", "cluster eu-1 is out of contact"), code: 503 },
    { failure: new MemberReadError("NotGranted", "cluster eu-1 does not let Meridian read pods/log"), code: 503 },
    { failure: new MemberReadError("BadRequest", "name a container"), code: 400 },
    { failure: new MemberReadError("NotFound", "has no pod"), code: 404 },
  ])("that cannot begin is $code with the reason: $failure.message", async ({ failure, code }) => {
    const { json, tenant, members } = await fleet();
    members.failure = failure;
    const answer = await json(`${SHOP}/log`, tenant);
    expect([answer.code, answer.body.message]).toEqual([code, failure.message]);
  });

  test("that is followed ends after its time", async () => {
    const { watch, tenant, members, clock } = await fleet();
    members.pieces = silent;
    const reader = await watch(`${SHOP}/log?follow=true&timeoutSeconds=60`, tenant);
    expect(await reader.line()).toBe("begun");
    await clock.advance(60_000);
    expect(await reader.line()).toBe("");
    expect(await reader.line()).toBe("[the log ends here, after 60 s; ask again with sinceTime]");
    expect(await reader.line()).toBeUndefined();
    expect(members.open).toBe(0);
  });

  test("that is followed without a limit says why it ends", async () => {
    const { watch, tenant, members, clock } = await fleet();
    members.pieces = silent;
    const reader = await watch(`${SHOP}/log?follow=true`, tenant);
    expect(await reader.line()).toBe("begun");
    await clock.advance(900_000);
    expect(await reader.line()).toBe("");
    expect(await reader.line()).toBe("[the log ends here, after 900 s; ask again with sinceTime]");
    expect(await reader.line()).toBeUndefined();
    expect(members.open).toBe(0);
  });

  test("that is followed waits for a container that has said nothing yet", async () => {
    const { watch, tenant, members, clock } = await fleet();
    const said = Promise.withResolvers<string>();
    members.pieces = async function* () {
      yield await said.promise;
    };
    const opening = watch(`${SHOP}/log?follow=true`, tenant);
    await expect.poll(() => members.open).toBe(1);
    await clock.advance(30_000);
    const reader = await opening;
    expect(reader.response.status).toBe(200);
    said.resolve("at last\n");
    expect(await reader.line()).toBe("at last");
  });

  test("that is not followed is 503 if nothing comes", async () => {
    const { json, tenant, members, clock } = await fleet();
    members.pieces = async function* (signal) {
      for await (const piece of silent(signal)) if (piece !== "begun\n") yield piece;
    };
    const asking = json(`${SHOP}/log`, tenant);
    await expect.poll(() => members.open).toBe(1);
    await clock.advance(30_000);
    expect((await asking).code).toBe(503);
  });

  test("goes on from a time with every line, and with the times of lines", async () => {
    const { ask, tenant, members } = await fleet();
    await (await ask(`${SHOP}/log?timestamps=true&sinceTime=2026-01-31T14:02:00.5Z`, tenant)).text();
    expect(members.options).toMatchObject([{ timestamps: true, sinceTime: "2026-01-31T14:02:00Z" }]);
    expect(members.options[0]).not.toHaveProperty("tailLines");
  });

  test("that is followed ends when the right is taken away", async () => {
    const { watch, tenant, members, clock, hub } = await fleet();
    members.pieces = silent;
    const reader = await watch(`${SHOP}/log?follow=true`, tenant);
    expect(await reader.line()).toBe("begun");
    hub.revoke("tenant", "a");
    await clock.advance(15_000);
    expect(await reader.line()).toBe("");
    expect(await reader.line()).toContain("the right to read it has ended");
    expect(await reader.line()).toBeUndefined();
    await expect.poll(() => members.open).toBe(0);
  });

  test("ends at the member when its reader goes, and with the term", async () => {
    const { watch, tenant, members, server, engine } = await fleet();
    members.pieces = silent;
    using term = server.lead(engine, { members });
    const [first, second] = [
      await watch(`${SHOP}/log?follow=true`, tenant),
      await watch(`${SHOP}/log?follow=true`, tenant),
    ];
    expect([await first.line(), await second.line(), members.open]).toEqual(["begun", "begun", 2]);
    first.leave();
    await expect.poll(() => members.open).toBe(1);
    term[Symbol.dispose]();
    expect(await second.line()).toBe("");
    expect(await second.line()).toContain("this manager stops or leads no longer; ask again");
    expect(await second.line()).toBeUndefined();
    expect(members.open).toBe(0);
  });

  test("is bounded for each user and each member", async () => {
    const { watch, json, tenant, admin, members, hub, rights } = await fleet();
    members.pieces = silent;
    const path = `${SHOP}/log?follow=true`;
    const [first] = [await watch(path, tenant), await watch(path, tenant)];
    const third = await json(path, tenant);
    expect([third.code, third.body.message]).toEqual([429, expect.stringContaining("user")]);
    await watch(path, admin);
    const fourth = await json(path, hub.user("another", rights("a")));
    expect([fourth.code, fourth.body.message]).toEqual([429, expect.stringContaining("member")]);
    first.leave();
    await expect.poll(() => members.open).toBe(2);
    expect((await watch(path, tenant)).response.status).toBe(200);
  });

  test("of a reader who reads nothing makes the member wait, and ends", async () => {
    const api = await served({ limits: { members: { ...LIMITS, bytes: 1 << 30 } } });
    api.commit({ objects: [object("shop", [placed("eu-1")])] });
    const members = new FakeMembers();
    let sent = 0;
    members.pieces = async function* () {
      for (; ; sent += 1 << 20) yield "x".repeat(1 << 20);
    };
    api.server.lead(api.engine, { members });
    const tenant = api.hub.user("tenant", Object.fromEntries([APPS, ...PARTS].map((one) => [one, ["a"]])));
    const response = await api.ask(`${SHOP}/log?follow=true`, tenant);
    expect(response.status).toBe(200);
    let before = -1;
    await expect.poll(() => [before, (before = sent)], { interval: 200 }).toSatisfy(([a, b]) => a === b && b > 0);
    expect(sent).toBeLessThan(64 << 20);
    await api.clock.advance(30_000);
    await expect.poll(() => members.open).toBe(0);
    await expect(response.text()).rejects.toThrow();
  });
});

test("pods and Events are lists, and say if they are not complete", async () => {
  const { json, tenant } = await fleet();
  expect((await json(`${SHOP}/pods`, tenant)).body).toMatchObject({
    ...{ kind: "PlacedPodList", metadata: {}, items: [{ name: "shop-1" }] },
  });
  expect((await json(`${SHOP}/events`, tenant)).body).toMatchObject({
    kind: "PlacedEventList",
    metadata: { annotations: { "query.federation.paas.cmft.com/incomplete": "true" } },
    items: [],
  });
  expect((await json(`${SHOP}/pods?limit=1`, tenant)).code).toBe(400);
});
