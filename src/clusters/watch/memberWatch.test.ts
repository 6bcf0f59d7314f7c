import { describe, expect, test } from "vitest";
import {
  ApiError,
  CONFIGMAPS,
  DEPLOYMENTS,
  type Informer,
  NAMESPACES,
  type ResourceType,
  TransportError,
  WentBackError,
} from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { MemberWatch } from "./memberWatch.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CLUSTER } from "../testing/builders.ts";

/** A kind that was granted by its name. */
const DATABASES: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Database",
  plural: "databases",
  namespaced: true,
};
const RESET = new TransportError("ConnectionReset", "reset");
const MISSING = new ApiError(404, "NotFound", "no such resource");
const FORBIDDEN = new ApiError(403, "Forbidden", "databases is forbidden");
const WENT_BACK = new WentBackError("the server went back");
const UNWATCHED = "configmaps cannot be watched on the member";

/** A watch whose informer is in the hands of the test; what it tells others is kept in order. */
function watching({
  type = CONFIGMAPS,
  namespace,
  local = false,
  failure,
}: { type?: ResourceType; namespace?: string; local?: boolean; failure?: string } = {}) {
  const clock = new FakeClock();
  const told: string[] = [];
  const informer = {
    synced: true,
    isBehind: false,
    followed: true,
    retries: 0,
    retryNow: () => void informer.retries++,
  };
  const given: MemberWatch[] = [];
  const tell = (what: string) => (about?: MemberWatch) =>
    void told.push(about === undefined || about === watch ? what : `${what} of another`);
  const watch: MemberWatch = new MemberWatch(
    {
      type,
      namespace,
      session: { cluster: CLUSTER, local },
      clock,
      informer: (made) => {
        given.push(made);
        return informer as unknown as Informer<ObservedObject>;
      },
      gaveUp: tell("gave up"),
      trustChanged: tell("trust changed"),
      sightChanged: tell("sight changed"),
      lostRight: tell("lost the right"),
      regainedRight: tell("regained the right"),
      unserved: tell("unserved"),
    },
    failure,
  );
  const take = (): string[] => told.splice(0);
  const state = () => {
    const { failure: why, blindSince, isUnserved, isDenied, isLost, isKnown } = watch;
    return { failure: why, blindSince, isUnserved, isDenied, isLost, isKnown };
  };
  return { watch, informer, clock, take, given, state };
}

const WELL = {
  failure: undefined,
  blindSince: undefined,
  isUnserved: false,
  isDenied: false,
  isLost: false,
  isKnown: true,
};

describe("a watch of a member", () => {
  test("is of a kind, in the whole cluster or in one namespace", () => {
    const { watch, informer, given, state } = watching({ type: DEPLOYMENTS });
    expect([watch.type, watch.namespace, watch.kind, watch.sight]).toEqual([
      DEPLOYMENTS,
      undefined,
      "apps/Deployment",
      "apps/Deployment",
    ]);
    expect([watch.informer === (informer as unknown), given[0] === watch, given.length]).toEqual([true, true, 1]);
    expect(state()).toEqual(WELL);
    const bounded = watching({ namespace: "shop" }).watch;
    expect([bounded.namespace, bounded.kind, bounded.sight]).toEqual(["shop", "/ConfigMap", "/ConfigMap in shop"]);
  });

  test.each([
    { type: CONFIGMAPS, want: true },
    { type: NAMESPACES, want: false },
    { type: { ...NAMESPACES, group: "example.com" }, want: true },
  ])("of $type.group/$type.kind is essential: $want", ({ type, want }) => {
    expect(watching({ type }).watch.isEssential).toBe(want);
  });

  test("knows what is there once it has read it", () => {
    const { watch, informer } = watching();
    informer.synced = false;
    expect(watch.isKnown).toBe(false);
  });

  test.each<{ name: string; type: ResourceType; want: boolean }>([
    { name: "the same", type: { ...CONFIGMAPS }, want: true },
    { name: "another version", type: { ...CONFIGMAPS, version: "v2" }, want: false },
    { name: "another plural", type: { ...CONFIGMAPS, plural: "configs" }, want: false },
    { name: "another scope", type: { ...CONFIGMAPS, namespaced: false }, want: false },
    {
      name: "other places for replicas",
      type: { ...CONFIGMAPS, scale: { spec: ["spec", "replicas"] } },
      want: false,
    },
  ])("is replaced by one that would bring something else: $name", ({ type, want }) => {
    expect(watching().watch.isAlike({ type, namespace: undefined })).toBe(want);
  });

  test("says why the one before was broken, until it works itself", () => {
    const { watch, take, state, informer } = watching({ failure: "why" });
    informer.synced = false;
    expect(watch.failure).toBe("why");
    watch.heard(RESET);
    expect([watch.failure, take()]).toEqual([UNWATCHED, []]);
    watch.heard(undefined);
    expect(take()).toEqual(["sight changed"]);
    informer.synced = true;
    expect(state()).toEqual(WELL);
  });

  test("that ends says so to its informer, and hears nothing any more", async () => {
    const { watch, clock, take, state } = watching();
    watch.heard(RESET);
    watch.end("over");
    expect([watch.stop.signal.aborted, watch.stop.signal.reason]).toEqual([true, "over"]);
    watch.heard(undefined);
    await clock.advance(60_000);
    expect([take(), state().failure]).toEqual([[], UNWATCHED]);
  });

  test("of what the member stopped to serve says so until it works", () => {
    const { watch } = watching();
    watch.heard(MISSING);
    expect([watch.isUnserved, watch.failure]).toEqual([true, `${UNWATCHED}: no such resource`]);
    watch.heard(RESET);
    expect(watch.isUnserved).toBe(true);
    watch.heard(undefined);
    expect(watch.isUnserved).toBe(false);
  });
});

describe("a watch that breaks", () => {
  test("after it has read everything is blind after half a minute, since it broke", async () => {
    const { watch, clock, take, state } = watching();
    await clock.advance(1_000);
    const since = clock.now();
    watch.heard(RESET);
    expect([take(), state()]).toEqual([[], { ...WELL, failure: UNWATCHED }]);
    await clock.advance(29_999);
    expect(take()).toEqual([]);
    await clock.advance(1);
    expect([take(), state()]).toEqual([["sight changed"], { ...WELL, failure: UNWATCHED, blindSince: since }]);
    await clock.advance(600_000);
    expect(take()).toEqual([]);
  });

  test("again and again is blind no later", async () => {
    const { watch, clock, take } = watching();
    watch.heard(RESET);
    await clock.advance(20_000);
    watch.heard(new TransportError("Protocol", "nonsense"));
    expect(watch.failure).toBe(`${UNWATCHED}: nonsense`);
    await clock.advance(10_000);
    expect(take()).toEqual(["sight changed"]);
  });

  test("and works again in time was never blind", async () => {
    const { watch, clock, take, state } = watching();
    watch.heard(RESET);
    await clock.advance(20_000);
    watch.heard(undefined);
    await clock.advance(60_000);
    expect([take(), state()]).toEqual([[], WELL]);
  });

  test("and works again after that is not blind any more, and that is said once", async () => {
    const { watch, clock, take, state } = watching();
    watch.heard(RESET);
    await clock.advance(30_000);
    take();
    watch.heard(undefined);
    watch.heard(undefined);
    expect([take(), state()]).toEqual([["sight changed"], WELL]);
  });

  test("before it has read anything is one less to wait for", async () => {
    const { watch, informer, clock, take } = watching();
    informer.synced = false;
    watch.heard(RESET);
    watch.heard(RESET);
    expect(take()).toEqual(["gave up", "trust changed"]);
    await clock.advance(60_000);
    expect([take(), watch.blindSince]).toEqual([[], undefined]);
    watch.heard(undefined);
    expect(take()).toEqual(["sight changed"]);
  });

  test("gets another half minute when the member is back, and the time since it broke is kept", async () => {
    const { watch, informer, clock, take } = watching();
    const since = clock.now();
    watch.heard(RESET);
    await clock.advance(30_000);
    watch.retry();
    expect([informer.retries, watch.blindSince, take()]).toEqual([1, undefined, ["sight changed"]]);
    await clock.advance(29_999);
    expect(take()).toEqual([]);
    await clock.advance(1);
    // What is known is as old as the first break only where that has been found to last.
    expect([take(), watch.blindSince]).toEqual([["sight changed"], since]);
  });

  test("is not waited for twice when it is tried at once", async () => {
    const { watch, clock, take } = watching();
    watch.heard(RESET);
    await clock.advance(10_000);
    watch.retry();
    await clock.advance(60_000);
    expect(take()).toEqual(["sight changed"]);
  });

  test("is tried at once when the member is back; one that works is not waited for", async () => {
    const { watch, informer, clock, take } = watching();
    watch.retry();
    await clock.advance(60_000);
    expect([informer.retries, take(), watch.blindSince]).toEqual([1, [], undefined]);
  });
});

describe("a watch whose right is taken away", () => {
  const granted = `databases are not granted: run \`meridian join ${CLUSTER} --renew --kinds databases.example.com --member-kubeconfig FILE\``;

  test("though others are not is lost after half a minute", async () => {
    const { watch, clock, take, state } = watching({ type: DATABASES });
    watch.heard(FORBIDDEN);
    expect([take(), state()]).toEqual([[], { ...WELL, failure: granted, isDenied: true }]);
    await clock.advance(30_000);
    const lost = { ...WELL, failure: granted, isDenied: true, isLost: true, isKnown: false };
    expect([take(), state()]).toEqual([["lost the right"], lost]);
  });

  test("in one namespace is lost as well, whatever the kind", async () => {
    const { watch, clock, take } = watching({ namespace: "shop" });
    watch.heard(FORBIDDEN);
    await clock.advance(30_000);
    expect([take(), watch.isLost]).toEqual([["lost the right"], true]);
  });

  test("of a kind that every account may watch is only blind", async () => {
    const { watch, clock, take } = watching();
    watch.heard(FORBIDDEN);
    await clock.advance(30_000);
    expect([take(), watch.isLost]).toEqual([["sight changed"], false]);
    expect(watch.failure).toBe(
      `configmaps are not granted: run \`meridian join ${CLUSTER} --renew --member-kubeconfig FILE\``,
    );
  });

  test("on the hub itself is said in the hub's words: joining grants nothing there", () => {
    const { watch } = watching({ type: DATABASES, local: true });
    watch.heard(FORBIDDEN);
    expect(watch.failure).toBe("databases cannot be watched on the member: databases is forbidden");
  });

  test("breaks for another reason before the half minute is over, and is only blind", async () => {
    const { watch, clock, take } = watching({ type: DATABASES });
    watch.heard(FORBIDDEN);
    await clock.advance(10_000);
    watch.heard(RESET);
    expect(watch.isDenied).toBe(false);
    await clock.advance(20_000);
    expect([take(), watch.isLost]).toEqual([["sight changed"], false]);
  });

  test("is lost at once where the right was only ever to list", () => {
    const { watch, informer, take } = watching({ type: DATABASES });
    informer.followed = false;
    watch.heard(FORBIDDEN);
    expect([take(), watch.isLost]).toEqual([["lost the right"], true]);
  });

  test.each([
    { name: "every account may watch the kind", type: CONFIGMAPS, error: FORBIDDEN },
    { name: "it broke for another reason", type: DATABASES, error: RESET },
  ])("is not lost at once where $name", ({ type, error }) => {
    const { watch, informer, take } = watching({ type });
    informer.followed = false;
    watch.heard(error);
    expect([take(), watch.isLost]).toEqual([[], false]);
  });

  test("and is lost only tries whether it may again, and says so when it may", async () => {
    const { watch, informer, clock, take } = watching({ type: DATABASES });
    informer.followed = false;
    watch.heard(FORBIDDEN);
    take();
    watch.heard(RESET);
    expect([watch.failure, take()]).toEqual(["databases cannot be watched on the member", []]);
    watch.retry();
    await clock.advance(60_000);
    expect([informer.retries, take(), watch.blindSince]).toEqual([1, [], undefined]);
    watch.heard(undefined);
    expect([take(), watch.isLost, watch.failure]).toEqual([
      ["regained the right"],
      true,
      "databases cannot be watched on the member",
    ]);
  });

  test("is waited for no longer once it is lost", async () => {
    const { watch, informer, clock, take } = watching({ type: DATABASES });
    watch.heard(RESET);
    watch.heard(undefined);
    watch.heard(RESET);
    watch.heard(WENT_BACK);
    informer.followed = false;
    watch.readAnew();
    watch.heard(FORBIDDEN);
    take();
    await clock.advance(60_000);
    expect(take()).toEqual([]);
  });
});

describe("a watch of a server that went back in time", () => {
  const WENT = "the member went back in time; its configmaps are being read anew";

  test("is as old as that at once, until everything was read anew", async () => {
    const { watch, informer, clock, take, state } = watching();
    await clock.advance(1_000);
    const since = clock.now();
    informer.isBehind = true;
    watch.heard(WENT_BACK);
    expect([take(), state()]).toEqual([["trust changed"], { ...WELL, failure: WENT, blindSince: since }]);
    await clock.advance(5_000);
    watch.heard(WENT_BACK);
    expect([take(), watch.blindSince]).toEqual([["trust changed"], since]);
    watch.heard(undefined);
    expect([take(), watch.failure]).toEqual([[], WENT]);
    informer.isBehind = false;
    watch.readAnew();
    expect([take(), state()]).toEqual([["sight changed", "trust changed"], WELL]);
  });

  test("says what fails meanwhile, and is no less old for it", () => {
    const { watch, informer, clock, take } = watching();
    const since = clock.now();
    informer.isBehind = true;
    watch.heard(WENT_BACK);
    take();
    watch.heard(RESET);
    expect([watch.failure, watch.blindSince, take()]).toEqual([UNWATCHED, since, []]);
  });

  test("waits for nothing that broke before", async () => {
    const { watch, clock, take } = watching();
    watch.heard(RESET);
    await clock.advance(10_000);
    watch.heard(WENT_BACK);
    take();
    await clock.advance(60_000);
    expect(take()).toEqual([]);
  });
});
