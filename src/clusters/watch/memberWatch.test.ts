import { describe, expect, test } from "vitest";
import { ApiError, CONFIGMAPS, type Informer } from "../../runtime/index.ts";
import { type ResourceType, TransportError, WentBackError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { MemberWatch } from "./memberWatch.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CLUSTER } from "../testing/builders.ts";
import { DATABASES, RESET } from "../testing/cacheHarness.ts";

const MISSING = new ApiError(404, "NotFound", "no such resource");
const FORBIDDEN = new ApiError(403, "Forbidden", "databases is forbidden");
const WENT_BACK = new WentBackError("the server went back");
const UNWATCHED = "configmaps cannot be watched on the member";
const grant = (kinds = "") => `run \`meridian join ${CLUSTER} --renew ${kinds}--member-kubeconfig FILE\``;
const NOT_GRANTED = { what: "databases are not granted", remedy: grant("--kinds databases.example.com ") };

interface Given {
  type?: ResourceType;
  namespace?: string;
  local?: boolean;
  failure?: string;
}

/** A watch whose informer is the test. `called`: callbacks since the previous call. */
function watching({ type = CONFIGMAPS, namespace, local = false, failure }: Given = {}) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const informer = {
    synced: true,
    isBehind: false,
    followed: true,
    retries: 0,
    retryNow: () => void informer.retries++,
  };
  const call = (what: string) => (about?: MemberWatch) =>
    void calls.push(about === undefined || about === watch ? what : `${what} of another`);
  const watch: MemberWatch = new MemberWatch(
    {
      type,
      namespace,
      session: { cluster: CLUSTER, local },
      clock,
      informer: () => informer as unknown as Informer<ObservedObject>,
      gaveUp: call("gave up"),
      trustChanged: call("trust changed"),
      readabilityChanged: call("readability changed"),
      lostRight: call("lost right"),
      regainedRight: call("regained right"),
      unserved: call("unserved"),
    },
    failure,
  );
  const called = (): string[] => calls.splice(0);
  const state = () => {
    const { failure: why, blindSince, isUnserved, isDenied, isLost, isKnown } = watch;
    return { failure: why, blindSince, isUnserved, isDenied, isLost, isKnown };
  };
  return { watch, informer, clock, called, state };
}

const WELL = {
  failure: undefined,
  blindSince: undefined,
  isUnserved: false,
  isDenied: false,
  isLost: false,
  isKnown: true,
};

describe("a watch", () => {
  test.each<[Partial<ResourceType>, boolean]>([
    [{}, true],
    [{ version: "v2" }, false],
    [{ plural: "configs" }, false],
    [{ namespaced: false }, false],
    [{ scale: { spec: ["spec", "replicas"] } }, false],
  ])("is alike for a type with %j: %s", (change, want) =>
    expect(watching().watch.isAlike({ type: { ...CONFIGMAPS, ...change }, namespace: undefined })).toBe(want),
  );

  test("keeps the failure of the watch before until it works", () => {
    const { watch, called, state, informer } = watching({ failure: "why" });
    informer.synced = false;
    expect([watch.failure, watch.isKnown]).toEqual(["why", false]);
    watch.heard(RESET);
    expect([watch.failure, called()]).toEqual([UNWATCHED, []]);
    watch.heard(undefined);
    informer.synced = true;
    expect([called(), state()]).toEqual([["readability changed"], WELL]);
  });

  test("aborts its informer at the end, and hears nothing any more", async () => {
    const { watch, clock, called, state } = watching();
    watch.heard(RESET);
    watch.end("over");
    expect([watch.stop.signal.aborted, watch.stop.signal.reason]).toEqual([true, "over"]);
    watch.heard(undefined);
    await clock.advance(60_000);
    expect([called(), state().failure]).toEqual([[], UNWATCHED]);
  });

  test("of a kind that is no longer served is unserved until it works", () => {
    const { watch, called } = watching();
    watch.heard(MISSING);
    expect([watch.isUnserved, watch.failure]).toEqual([true, { what: UNWATCHED, why: "no such resource" }]);
    expect(called()).toEqual(["trust changed", "unserved"]);
    watch.heard(RESET);
    expect([watch.isUnserved, called()]).toEqual([true, []]);
    watch.heard(undefined);
    expect([watch.isUnserved, called()]).toEqual([false, ["trust changed"]]);
  });
});

describe("a watch that breaks", () => {
  test("is blind half a minute later, since it broke", async () => {
    const { watch, clock, called, state } = watching();
    await clock.advance(1_000);
    const since = clock.now();
    watch.heard(RESET);
    expect([called(), state()]).toEqual([[], { ...WELL, failure: UNWATCHED }]);
    await clock.advance(20_000);
    // Another failure does not begin the half minute again.
    watch.heard(new TransportError("Protocol", "nonsense"));
    await clock.advance(9_999);
    expect(called()).toEqual([]);
    await clock.advance(1);
    const blind = { ...WELL, failure: { lead: `${UNWATCHED}: `, what: "nonsense" }, blindSince: since };
    expect([called(), state()]).toEqual([["readability changed"], blind]);
    await clock.advance(600_000);
    expect(called()).toEqual([]);
    watch.heard(undefined);
    watch.heard(undefined);
    expect([called(), state()]).toEqual([["readability changed"], WELL]);
  });

  test("and works again in time was never blind", async () => {
    const { watch, clock, called, state } = watching();
    watch.heard(RESET);
    await clock.advance(20_000);
    watch.heard(undefined);
    await clock.advance(60_000);
    expect([called(), state()]).toEqual([[], WELL]);
  });

  test("before its first list gives up, and is not blind", async () => {
    const { watch, informer, clock, called } = watching();
    informer.synced = false;
    watch.heard(RESET);
    watch.heard(RESET);
    expect(called()).toEqual(["gave up", "trust changed"]);
    await clock.advance(60_000);
    expect([called(), watch.blindSince]).toEqual([[], undefined]);
    watch.heard(undefined);
    expect(called()).toEqual(["readability changed"]);
  });

  test("gets another half minute with a retry, and keeps the time since it broke", async () => {
    const { watch, informer, clock, called } = watching();
    const since = clock.now();
    watch.heard(RESET);
    await clock.advance(30_000);
    watch.retry();
    expect([informer.retries, watch.blindSince, called()]).toEqual([1, undefined, ["readability changed"]]);
    await clock.advance(29_999);
    expect(called()).toEqual([]);
    await clock.advance(1);
    expect([called(), watch.blindSince]).toEqual([["readability changed"], since]);
  });
});

describe("a watch whose permission is revoked", () => {
  test("is lost half a minute later if the kind was granted by name", async () => {
    const { watch, clock, called, state } = watching({ type: DATABASES });
    watch.heard(FORBIDDEN);
    expect([called(), state()]).toEqual([[], { ...WELL, failure: NOT_GRANTED, isDenied: true }]);
    await clock.advance(30_000);
    const lost = { ...WELL, failure: NOT_GRANTED, isDenied: true, isLost: true, isKnown: false };
    expect([called(), state()]).toEqual([["lost right"], lost]);
  });

  test.each<[string, Given, Error[], isLost: boolean]>([
    ["lost for a single namespace", { namespace: "shop" }, [FORBIDDEN], true],
    ["blind for a kind of every account", {}, [FORBIDDEN], false],
    ["blind if it then breaks for another reason", { type: DATABASES }, [FORBIDDEN, RESET], false],
  ])("is %s", async (_, given, errors, isLost) => {
    const { watch, clock, called } = watching(given);
    for (const error of errors) {
      watch.heard(error);
      await clock.advance(10_000);
    }
    await clock.advance(20_000);
    expect([called(), watch.isLost]).toEqual([[isLost ? "lost right" : "readability changed"], isLost]);
  });

  test("on the hub itself has the server's words, since join grants nothing there", () => {
    const { watch } = watching({ type: DATABASES, local: true });
    watch.heard(FORBIDDEN);
    expect(watch.failure).toEqual({ what: "databases cannot be watched on the member", why: "databases is forbidden" });
  });

  test.each<[ResourceType, Error, string[]]>([
    [DATABASES, FORBIDDEN, ["lost right"]],
    [CONFIGMAPS, FORBIDDEN, []],
    [DATABASES, RESET, []],
  ])("is lost at once if only list was granted: %#", (type, error, want) => {
    const { watch, informer, called } = watching({ type });
    informer.followed = false;
    watch.heard(error);
    expect([called(), watch.isLost]).toEqual([want, want.length > 0]);
  });

  test("and is lost only retries until it is permitted again", async () => {
    const { watch, informer, clock, called } = watching({ type: DATABASES });
    watch.heard(RESET);
    watch.heard(undefined);
    watch.heard(RESET);
    watch.heard(WENT_BACK);
    informer.followed = false;
    watch.readAnew();
    watch.heard(FORBIDDEN);
    called();
    watch.heard(RESET);
    watch.retry();
    await clock.advance(60_000);
    expect([informer.retries, called(), watch.blindSince]).toEqual([1, [], undefined]);
    watch.heard(undefined);
    const failure = "databases cannot be watched on the member";
    expect([called(), watch.isLost, watch.failure]).toEqual([["regained right"], true, failure]);
  });
});

describe("a watch of a server that went back in time", () => {
  const WENT = "the member went back in time; its configmaps are being read anew";

  test("is blind at once, until everything was listed anew", async () => {
    const { watch, informer, clock, called, state } = watching();
    await clock.advance(1_000);
    const since = clock.now();
    informer.isBehind = true;
    watch.heard(WENT_BACK);
    expect([called(), state()]).toEqual([["trust changed"], { ...WELL, failure: WENT, blindSince: since }]);
    await clock.advance(5_000);
    watch.heard(WENT_BACK);
    expect([called(), watch.blindSince]).toEqual([["trust changed"], since]);
    watch.heard(RESET);
    expect([called(), watch.failure, watch.blindSince]).toEqual([[], UNWATCHED, since]);
    watch.heard(undefined);
    expect([called(), watch.failure]).toEqual([[], UNWATCHED]);
    informer.isBehind = false;
    watch.readAnew();
    expect([called(), state()]).toEqual([["readability changed", "trust changed"], WELL]);
  });

  test("does not wait for an earlier failure", async () => {
    const { watch, clock, called } = watching();
    watch.heard(RESET);
    await clock.advance(10_000);
    watch.heard(WENT_BACK);
    called();
    await clock.advance(60_000);
    expect(called()).toEqual([]);
  });
});
