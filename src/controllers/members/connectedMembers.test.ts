import { describe, expect, onTestFinished, test } from "vitest";
import type { KubeObject, MemberCluster } from "../../apis/index.ts";
import { type Call, ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import { createLogger, type EventRecord } from "../../observability/index.ts";
import type { ClusterNews, ConnectionChange } from "../../ports/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ConnectedMembers } from "./connectedMembers.ts";

const THERE: ClusterNews = { kind: "Contact", contact: { ok: true } };
const RENEWED: ClusterNews = { kind: "TokenRenewal", renewal: { renewed: false, message: "may not" } };

/** `seen`: the changes that one follower got. */
function connected() {
  const clock = new FakeClock();
  let version = 10;
  const memberCluster = (name: string, uid = `${name}-object`, status?: object): MemberCluster =>
    ({
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name, uid, resourceVersion: String((version += 1)), generation: 1 },
      spec: { connection: {} },
      ...(status === undefined ? {} : { status }),
    }) as unknown as MemberCluster;
  const hub = new ScriptedClient(({ name = "", body }: Call) =>
    memberCluster(name, undefined, (body as { status: object }).status),
  );
  const events: string[] = [];
  const written: KubeObject[] = [];
  const members = new ConnectedMembers({
    ...{ hub: hub.client, clock, logger: createLogger({ level: "silent" }) },
    events: { record: ({ reason }: EventRecord) => void events.push(reason) },
    recoveries: { ended: () => undefined },
    onWritten: (object) => void written.push(object),
    onFailed: () => undefined,
  });
  onTestFinished(() => members[Symbol.asyncDispose]());
  const seen: string[] = [];
  const follow = (): Disposable =>
    members.follow((change: ConnectionChange) => {
      if ("remove" in change) seen.push(`${change.remove} removed`);
      else seen.push(`${change.set.cluster} ${change.set.uid} ${change.set.owned ? "ours" : "others"}`);
    });
  return { clock, hub, members, memberCluster, seen, follow, events, written };
}

describe("the clusters to be connected", () => {
  test("are delivered with every change, before the change returns", () => {
    const { members, memberCluster, seen, follow } = connected();
    members.upsert(memberCluster("a"), true);
    const following = follow();
    expect(seen).toEqual(["a a-object ours"]);
    members.upsert(memberCluster("b"), false);
    members.upsert(memberCluster("b"), true);
    members.remove("a");
    members.remove("a");
    expect(seen.slice(1)).toEqual(["b b-object others", "b b-object ours", "a removed"]);
    following[Symbol.dispose]();
    members.upsert(memberCluster("c"), true);
    expect(seen).toHaveLength(4);
  });

  test("are none after the end", async () => {
    const { members, memberCluster, seen, follow } = connected();
    follow();
    await members[Symbol.asyncDispose]();
    members.upsert(memberCluster("a"), true);
    expect(seen).toEqual([]);
  });

  test("have the UID that was recorded last, even if the MemberCluster is older", async () => {
    const { members, memberCluster } = connected();
    const old = memberCluster("a");
    members.upsert(old, true);
    await members.open({ cluster: "a", uid: "a-object" }).recordIdentity({ uid: "u1" });
    const recorded: unknown[] = [];
    members.follow((change) => recorded.push("set" in change && change.set.recordedUid));
    members.upsert(old, true);
    expect(recorded).toEqual(["u1", "u1"]);
  });
});

describe("the reports about a cluster", () => {
  test("are written to its MemberCluster, and the answers are passed on", async () => {
    const { members, memberCluster, clock, hub, written } = connected();
    members.upsert(memberCluster("a"), true);
    members.open({ cluster: "a", uid: "a-object" }).send(THERE);
    await clock.settle();
    expect(hub.calls).toMatchObject([{ verb: "applyStatus", what: "memberclusters", name: "a" }]);
    expect(written).toMatchObject([{ metadata: { name: "a" }, status: { conditions: [{ reason: "Connected" }] } }]);
  });

  test.each<[string, (all: ReturnType<typeof connected>) => unknown]>([
    ["was removed", ({ members }) => members.remove("a")],
    ["was created again", ({ members, memberCluster }) => members.upsert(memberCluster("a", "another"), true)],
    ["ends with the manager", ({ members }) => members[Symbol.asyncDispose]()],
  ])("change nothing once it %s", async (_, change) => {
    const all = connected();
    const { members, memberCluster, clock, hub, events } = all;
    members.upsert(memberCluster("a"), true);
    const before = members.open({ cluster: "a", uid: "a-object" });
    await change(all);
    for (const channel of [before, members.open({ cluster: "a", uid: "a-object" })]) {
      channel.send(THERE);
      channel.send(RENEWED);
      expect(await channel.recordIdentity({ uid: "u1" })).not.toBe("Recorded");
    }
    await clock.settle();
    expect([hub.calls, events, clock.pending]).toEqual([[], [], 0]);
  });

  test("end with the running writes", async () => {
    const { members, memberCluster, hub, clock } = connected();
    const answered = Promise.withResolvers<Error>();
    hub.answer = () => answered.promise;
    members.upsert(memberCluster("a"), true);
    members.open({ cluster: "a", uid: "a-object" }).send(THERE);
    await clock.settle();
    let isOver = false;
    const ending = members[Symbol.asyncDispose]().then(() => (isOver = true));
    await clock.settle();
    expect([isOver, hub.signals[0]?.aborted]).toEqual([false, true]);
    answered.resolve(new Error("aborted"));
    await ending;
  });
});
