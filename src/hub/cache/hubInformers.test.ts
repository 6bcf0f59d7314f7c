import { describe, expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { type Informer, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { HubInformers } from "./hubInformers.ts";

const cluster = (name: string): KubeObject => ({
  apiVersion: "federation.paas.cmft.com/v1alpha1",
  kind: "MemberCluster",
  metadata: { name, managedFields: [{ manager: "kubectl" }] },
});

function setUp() {
  const client = new FakeClient();
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const told: string[] = [];
  const informers = new HubInformers({
    client,
    clock,
    random: () => 0,
    logger,
    wentBack: ({ kind }) => void told.push(`${kind} went back`),
    heldChanged: () => void told.push("held"),
  });
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 3; turn += 1) await clock.advance(0);
  };
  const run = async <T>(informer: Informer<T>): Promise<Informer<T>> => {
    const end = new AbortController();
    const running = informer.run(end.signal);
    onTestFinished(async () => {
      end.abort(new Error("the test is over"));
      await running;
    });
    await settle();
    return informer;
  };
  return { server: client.server, informers, told, lines, settle, run };
}

describe("an informer of the hub", () => {
  test("keeps what its maker says, and has a name in the logs", async () => {
    const { server, informers, lines, run } = setUp();
    server.create(MEMBERCLUSTERS, cluster("east"));
    const informer = informers.of(MEMBERCLUSTERS, { transform: ({ metadata }) => metadata.name });
    informer.onEvent(() => {
      throw new Error("a bug");
    });
    await run(informer);
    expect(informer.list()).toEqual(["east"]);
    expect(lines).toMatchObject([{ msg: "a handler failed", informer: "hub/memberclusters" }]);
  });

  test("has what else its maker wants, before all else", async () => {
    const { informers, lines, server, run } = setUp();
    const informer = informers.of<KubeObject>(MEMBERCLUSTERS, {
      transform: (object) => object,
      indexers: { first: ({ metadata }) => [metadata.name.slice(0, 1)] },
      name: "mine",
    });
    informer.onEvent(() => {
      throw new Error("a bug");
    });
    for (const name of ["east", "west"]) server.create(MEMBERCLUSTERS, cluster(name));
    await run(informer);
    expect(informer.keysByIndex("first", "w")).toEqual(["west"]);
    expect(lines).toMatchObject([{ informer: "mine" }, { informer: "mine" }]);
  });

  test("of Meridian's own kinds keeps no bookkeeping", async () => {
    const { server, informers, run } = setUp();
    server.create(MEMBERCLUSTERS, cluster("east"));
    const informer = await run(informers.followed<KubeObject>(MEMBERCLUSTERS));
    expect(informer.get("east")?.metadata).toStrictEqual({
      name: "east",
      uid: "uid-1",
      resourceVersion: server.version,
    });
  });

  test("tells that the hub went back", async () => {
    const { server, informers, told, settle, run } = setUp();
    server.create(MEMBERCLUSTERS, cluster("east"));
    const restore = server.backup();
    await run(informers.followed(MEMBERCLUSTERS));
    for (let n = 0; n < 5; n += 1) server.create(MEMBERCLUSTERS, cluster(`later-${n}`));
    await settle();
    expect(told).toEqual([]);
    restore();
    await settle(60_000);
    expect(told).toEqual(["MemberCluster went back"]);
  });

  test.each<[string, boolean]>([
    ["one of Meridian's own kinds", true],
    ["another one, where that is asked for", false],
  ])("tells that much vanished at once, and that it is over: %s", async (_what, isOwn) => {
    const { server, informers, told, lines, settle, run } = setUp();
    for (let n = 0; n < 12; n += 1) server.create(MEMBERCLUSTERS, cluster(`c${n}`));
    const transform = (object: KubeObject) => object;
    const informer = isOwn
      ? informers.followed<KubeObject>(MEMBERCLUSTERS)
      : informers.holding(MEMBERCLUSTERS, informers.of<KubeObject>(MEMBERCLUSTERS, { transform }));
    await run(informer);
    server.dropWatches();
    for (let n = 1; n < 12; n += 1) server.delete(MEMBERCLUSTERS, undefined, `c${n}`);
    server.compact();
    await settle(400);
    expect([told, informer.size]).toEqual([["held"], 12]);
    const warnings = () => lines.filter(({ event_reason: reason }) => reason === "DeletionsHeld");
    const warning = {
      level: "warn",
      resource: "memberclusters",
      vanished: 11,
      known: 12,
      msg: "many objects vanished from the hub at once; deletes are held until a second read agrees",
    };
    expect(warnings()).toMatchObject([warning]);
    await settle(60_000);
    expect([told, informer.size, warnings().length]).toEqual([["held", "held"], 1, 1]);
  });

  test("says nothing of what vanishes where nobody asked for it", async () => {
    const { server, informers, told, settle, run } = setUp();
    for (let n = 0; n < 12; n += 1) server.create(MEMBERCLUSTERS, cluster(`c${n}`));
    await run(informers.of<KubeObject>(MEMBERCLUSTERS, { transform: (object) => object }));
    server.dropWatches();
    for (let n = 0; n < 12; n += 1) server.delete(MEMBERCLUSTERS, undefined, `c${n}`);
    server.compact();
    await settle(60_000);
    expect(told).toEqual([]);
  });
});
