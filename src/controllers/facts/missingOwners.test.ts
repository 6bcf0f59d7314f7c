import { describe, expect, onTestFinished, test } from "vitest";
import { ACCEPT_DELETIONS_ANNOTATION, fullMessage, type KubeObject, refKey, timestamp } from "../../apis/index.ts";
import { application, setUpHub } from "../../hub/testing/fakeHub.ts";
import { Metrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { MissingOwners } from "./missingOwners.ts";
import { Observations } from "../tables/observations.ts";
import { CLUSTER, inContact, observation, owner } from "../testing/builders.ts";
import { member } from "../testing/copySources.ts";

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `shop-${index}`);
const copyOf = (name: string, hubVersion = "1") =>
  observation({
    ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name },
    present: { owner: owner(name), hubVersion },
  });

/** `since`: start of a hold that the MemberCluster remembers. */
function memberCluster(name: string, since?: string, reason = "HubWentBack"): KubeObject {
  const held = { type: "DeletionsHeld", status: "True", reason, message: "", lastTransitionTime: since };
  return { ...member(name), status: { conditions: since === undefined ? [] : [held] } } as unknown as KubeObject;
}

/** A hub with these objects, and a member that has reported these copies. */
async function setUp(onHub: readonly string[], copies: readonly string[], since?: string) {
  const { server, cache, clock, logger, lines, start, settle } = setUpHub();
  server.create(MEMBERCLUSTERS, memberCluster(CLUSTER, since));
  for (const name of onHub) server.create(DEMOAPPLICATIONS, application(name));
  await start();
  const observations = new Observations();
  const metrics = new Metrics({ processMetrics: false });
  const missing = new MissingOwners({ hub: cache, observations, clock, logger, metrics });
  onTestFinished(() => missing[Symbol.dispose]());
  /** `change`: the hold began, ended, or was accepted. `count`: the number of its objects changed. */
  const heard: string[] = [];
  missing.changes.subscribe(() => void heard.push("change"));
  missing.counts.subscribe(() => void heard.push("count"));
  const shown = async (): Promise<unknown> =>
    (await metrics.scrape()).body.split("\n").find((line) => line.startsWith("federation_deletions_held{"));
  missing.begin();
  observations.contact(CLUSTER, inContact);
  observations.report(
    CLUSTER,
    copies.map((name) => copyOf(name)),
  );
  const now = timestamp(clock.now());
  return { server, cache, clock, settle, observations, missing, now, heard, shown, lines };
}

const HELD = 'federation_deletions_held{scope="owners"} 1';
const NOT_HELD = 'federation_deletions_held{scope="owners"} 0';

describe("objects that the hub lacks", () => {
  test.each([
    { name: "10 of 19 are held", onHub: names(9), copies: names(19), reason: "OwnersMissing" },
    { name: "10 of 20 are not", onHub: names(10), copies: names(20), reason: undefined },
    { name: "9 of 9 are not", onHub: [], copies: names(9), reason: undefined },
    { name: "objects that run nowhere do not count", onHub: ["a", "b"], copies: names(10), reason: "OwnersMissing" },
  ])("$name", async ({ onHub, copies, reason }) => {
    const { missing } = await setUp(onHub, copies);
    expect(missing.heldOn(CLUSTER)?.reason).toBe(reason);
    expect(missing.on(CLUSTER)?.owners.length).toBe(
      reason === undefined ? undefined : copies.length - (onHub.includes("a") ? 0 : onHub.length),
    );
  });

  test("a few of them wait until every cluster that answers has said what runs there", async () => {
    const { missing, observations } = await setUp([], names(2));
    observations.contact(CLUSTER, { ...inContact, pending: true });
    expect(missing.heldOn(CLUSTER)?.reason).toBe("OwnerUnconfirmed");
    observations.contact(CLUSTER, { ...inContact, ok: false, synced: false });
    expect(missing.heldOn(CLUSTER)).toBeUndefined();
  });

  test("a copy that knows a later state than the hub proves that the hub went back", async () => {
    const { missing, observations } = await setUp([], names(2));
    const key = refKey(owner("shop-0"));
    observations.report(CLUSTER, [copyOf("shop-1", "1001")]);
    observations.report(CLUSTER, [copyOf("shop-0", "999")]);
    expect(missing.latest).toBe("1001");
    missing.confirmed(key, missing.latest, "1001");
    expect(missing.heldOn(CLUSTER)).toBeUndefined();
    missing.confirmed(key, missing.latest, undefined);
    expect(missing.heldOn(CLUSTER)).toBeUndefined();
    missing.confirmed(key, missing.latest, "999");
    expect(missing.heldOn(CLUSTER)?.reason).toBe("HubWentBack");
  });

  test("a watch that shows an earlier state than before proves it too, before anything is missing", async () => {
    const { missing, cache, observations, clock, now } = await setUp([], []);
    cache.wentBack.emit(DEMOAPPLICATIONS);
    missing.review();
    observations.report(CLUSTER, [copyOf("shop-0")]);
    expect(missing.on(CLUSTER)).toMatchObject({ hold: { reason: "HubWentBack", since: now } });
    observations.report(CLUSTER, [{ ...copyOf("shop-0"), present: undefined } as never]);
    missing.review();
    expect(missing.isHolding).toBe(true);
    await clock.advance(600_000);
    missing.review();
    expect(missing.isHolding).toBe(false);
  });

  test("the hold of before is remembered by the MemberCluster, with its time, and ends with that condition", async () => {
    const since = "2026-01-01T00:00:00Z";
    const { missing, server, settle } = await setUp([], names(2), since);
    expect(missing.on(CLUSTER)).toMatchObject({ hold: { reason: "HubWentBack", since }, accepted: false });
    for (const name of names(2)) server.create(DEMOAPPLICATIONS, application(name));
    await settle();
    missing.review();
    expect([missing.isHolding, missing.on(CLUSTER)]).toEqual([true, undefined]);
    server.merge(MEMBERCLUSTERS, undefined, CLUSTER, { status: { conditions: [] } });
    await settle();
    missing.review();
    expect(missing.isHolding).toBe(false);
  });

  test("a person agrees to the hold of that time, and to no other", async () => {
    const { missing, server, settle, now } = await setUp([], names(12));
    let changes = 0;
    missing.changes.subscribe(() => (changes += 1));
    const annotate = async (value: string): Promise<void> => {
      server.merge(MEMBERCLUSTERS, undefined, CLUSTER, {
        metadata: { annotations: { [ACCEPT_DELETIONS_ANNOTATION]: value } },
      });
      await settle();
    };
    await annotate("true");
    expect(fullMessage(missing.heldOn(CLUSTER)?.message ?? "")).toContain(`${ACCEPT_DELETIONS_ANNOTATION}: ${now}`);
    await annotate(now);
    expect(missing.heldOn(CLUSTER)).toBeUndefined();
    expect(missing.on(CLUSTER)?.accepted).toBe(true);
    expect(changes).toBe(2);
  });
});

describe("a hold", () => {
  test("begins with a warning and a figure, and says of every copy why it stays", async () => {
    const { missing, now, heard, shown, lines } = await setUp([], names(10));
    expect(missing.heldOn(CLUSTER)).toEqual({
      reason: "OwnersMissing",
      message: { what: "the hub lost its object", remedy: `if meant, annotate ${ACCEPT_DELETIONS_ANNOTATION}: ${now}` },
    });
    expect(missing.on(CLUSTER)).toEqual({
      hold: { reason: "OwnersMissing", since: now },
      owners: names(10).map((name) => refKey(owner(name))),
      accepted: false,
    });
    expect(missing.on("elsewhere")).toBeUndefined();
    expect([missing.isHolding, await shown(), heard]).toEqual([true, HELD, ["change", "count"]]);
    expect(lines).toMatchObject([
      {
        event_reason: "OwnersMissing",
        missing: 10,
        msg: "the hub lacks objects that run on members; nothing of theirs is removed until a person agrees",
      },
    ]);
  });

  test("that is proven to be of a hub that went back stays so, and keeps its time", async () => {
    const { missing, cache, clock, now, heard } = await setUp([], names(10));
    heard.length = 0;
    await clock.advance(5_000);
    cache.wentBack.emit(DEMOAPPLICATIONS);
    cache.wentBack.emit(DEMOAPPLICATIONS);
    expect(missing.heldOn(CLUSTER)).toEqual({
      reason: "HubWentBack",
      message: {
        what: "the hub went back in time",
        remedy: `if meant, annotate ${ACCEPT_DELETIONS_ANNOTATION}: ${now}`,
      },
    });
    expect(missing.on(CLUSTER)?.hold).toEqual({ reason: "HubWentBack", since: now });
    expect(heard).toEqual(["change"]);
  });

  test("of a hub that went back is not one of many missing objects, however many they are", async () => {
    const { missing, cache, observations, heard } = await setUp([], []);
    cache.wentBack.emit(DEMOAPPLICATIONS);
    observations.report(
      CLUSTER,
      names(10).map((name) => copyOf(name)),
    );
    expect(missing.heldOn(CLUSTER)?.reason).toBe("HubWentBack");
    expect(heard).toEqual(["change", ...names(10).map(() => "count")]);
  });

  test("ends with a figure and a word when the last object is back", async () => {
    const { missing, server, settle, heard, shown } = await setUp([], names(10));
    heard.length = 0;
    for (const name of names(9)) server.create(DEMOAPPLICATIONS, application(name));
    await settle();
    missing.review();
    expect([missing.isHolding, missing.on(CLUSTER)?.owners, heard.length]).toEqual([
      true,
      [refKey(owner("shop-9"))],
      9,
    ]);
    server.create(DEMOAPPLICATIONS, application("shop-9"));
    await settle();
    heard.length = 0;
    missing.review();
    missing.review();
    expect([missing.isHolding, heard, await shown()]).toEqual([false, ["change"], NOT_HELD]);
  });

  test("concerns fewer objects when copies go, or come to name another", async () => {
    const { missing, observations } = await setUp([], names(12));
    observations.report(CLUSTER, [{ ...copyOf("shop-0"), present: undefined } as never]);
    const { ref } = copyOf("shop-1");
    observations.report(CLUSTER, [{ ...copyOf("cart"), ref }]);
    expect(missing.on(CLUSTER)?.owners).toEqual(
      [...names(12).slice(2), "cart"].map((name) => refKey(owner(name))).toSorted(),
    );
  });

  test("that a MemberCluster remembers has its figure from the start; another condition is none", async () => {
    const since = "2026-01-01T00:00:00Z";
    const { server, missing, settle, shown, heard, observations } = await setUp([], [], since);
    expect([missing.isHolding, await shown()]).toEqual([true, HELD]);
    server.merge(MEMBERCLUSTERS, undefined, CLUSTER, { metadata: { labels: { a: "1" } } });
    await settle();
    expect(heard).toEqual(["change"]);
    observations.report(CLUSTER, [copyOf("shop-0")]);
    expect(fullMessage(missing.heldOn(CLUSTER)?.message ?? "")).toContain("the hub went back in time");
    const other = await setUp([], []);
    for (const condition of [
      { type: "Ready", status: "True" },
      { type: "DeletionsHeld", status: "False" },
    ]) {
      const conditions = [{ ...condition, reason: "HubWentBack", message: "", lastTransitionTime: since }];
      other.server.merge(MEMBERCLUSTERS, undefined, CLUSTER, { status: { conditions } });
      await other.settle();
      expect(other.missing.isHolding).toBe(false);
    }
    server.delete(MEMBERCLUSTERS, undefined, CLUSTER);
    await settle();
    missing.review();
    expect(missing.isHolding).toBe(true);
  });

  test("is heard of when a person agrees or takes that back, and not at other changes of a MemberCluster", async () => {
    const { server, settle, heard } = await setUp([], names(10));
    const change = async (metadata: object): Promise<string[]> => {
      heard.length = 0;
      server.merge(MEMBERCLUSTERS, undefined, CLUSTER, { metadata });
      await settle();
      return [...heard];
    };
    const agreed = { annotations: { [ACCEPT_DELETIONS_ANNOTATION]: "now" } };
    expect([
      await change({ labels: { a: "1" } }),
      await change(agreed),
      await change({ labels: { a: "2" } }),
      await change({ annotations: null }),
    ]).toEqual([[], ["change"], [], ["change"]]);
    const calm = await setUp([], []);
    calm.server.merge(MEMBERCLUSTERS, undefined, CLUSTER, { metadata: agreed });
    await calm.settle();
    expect(calm.heard).toEqual([]);
  });
});

test("while a cluster has not said what runs there, no copy of a missing object goes anywhere", async () => {
  const { missing, server, settle } = await setUp([], names(2));
  expect(missing.heldOn(CLUSTER)).toBeUndefined();
  server.create(MEMBERCLUSTERS, memberCluster("new"));
  await settle();
  expect(missing.heldOn(CLUSTER)).toEqual({
    reason: "OwnerUnconfirmed",
    message: "not every cluster has said yet what runs there, and the object may be one of many that the hub has lost",
  });
});

test("what is held on a cluster is known when all of the cluster is, and not before the hub is", async () => {
  const { missing, observations, cache, clock } = await setUp([], []);
  expect(missing.isKnown(CLUSTER)).toBe(true);
  observations.contact(CLUSTER, { ...inContact, synced: false });
  expect([missing.isKnown(CLUSTER), missing.isKnown("elsewhere")]).toEqual([false, false]);
  const early = new MissingOwners({
    hub: cache,
    observations,
    clock,
    logger: logLines().logger,
    metrics: new Metrics({ processMetrics: false }),
  });
  observations.contact(CLUSTER, inContact);
  expect(early.isKnown(CLUSTER)).toBe(false);
});

test("a hold that is remembered from two clusters is the earlier one, and proven where one of them proves it", async () => {
  const since = "2026-01-01T00:00:00Z";
  const { missing, server, settle } = await setUp([], names(2), since);
  server.create(MEMBERCLUSTERS, memberCluster("later", "2026-01-02T00:00:00Z", "OwnersMissing"));
  await settle();
  expect(missing.on(CLUSTER)?.hold).toEqual({ reason: "HubWentBack", since });
  server.create(MEMBERCLUSTERS, memberCluster("earlier", "2025-12-31T00:00:00Z", "OwnersMissing"));
  await settle();
  expect(missing.on(CLUSTER)?.hold).toEqual({ reason: "HubWentBack", since: "2025-12-31T00:00:00Z" });
});
