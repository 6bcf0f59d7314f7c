import { describe, expect, onTestFinished, test } from "vitest";
import type { KubeObject, MemberCluster } from "../../apis/index.ts";
import { type Call, ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import { createLogger, type EventRecord } from "../../observability/index.ts";
import {
  type ClusterAnswer,
  type ClusterMessage,
  type ClusterReportChannel,
  type ConnectionMessage,
  type ConnectionStream,
  type Liveness,
  PROTOCOL_VERSION,
} from "../../ports/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ConnectedMembers } from "./connectedMembers.ts";

const EPOCH = 7;
const LIVENESS: Liveness = { heartbeatMs: 1_000, silentAfterMs: 3_000 };
const SESSION = { version: PROTOCOL_VERSION, worker: "w", number: 1, epoch: EPOCH };

function wordsOf(message: ConnectionMessage): string {
  switch (message.kind) {
    case "Set": {
      const { cluster, uid, owned } = message.settings;
      return `${cluster} ${uid} ${owned ? "ours" : "others"}`;
    }
    case "Remove":
      return `${message.cluster} removed`;
    default:
      return message.kind;
  }
}

/** `seen`: what one follower got. `names`: MemberClusters of the hub when the term begins. */
function connected(liveness?: Liveness, names: readonly string[] = []) {
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
    ...{ hub: hub.client, clock, logger: createLogger({ level: "silent" }), epoch: EPOCH, liveness },
    events: { record: ({ reason }: EventRecord) => void events.push(reason) },
    recoveries: { ended: () => undefined },
    onWritten: (object) => void written.push(object),
    onFailed: () => undefined,
  });
  members.begin(names);
  onTestFinished(() => members[Symbol.asyncDispose]());
  const released: string[] = [];
  members.released.subscribe((cluster) => void released.push(cluster));
  const follow = (worker = "worker"): { seen: string[]; seqs: number[]; stream: ConnectionStream } => {
    const seen: string[] = [];
    const seqs: number[] = [];
    const take = (message: ConnectionMessage): void => {
      seen.push(wordsOf(message));
      seqs.push(message.seq);
    };
    const stream = members.follow({ version: PROTOCOL_VERSION, worker }, { take, ended: (why) => void seen.push(why) });
    onTestFinished(() => stream[Symbol.dispose]());
    if (seen.includes("End")) stream.send({ kind: "Complete" });
    return { seen, seqs, stream };
  };
  const open = (change: Partial<typeof SESSION> & { uid?: string } = {}) => {
    const { uid = "a-object", ...session } = change;
    const answers: string[] = [];
    const answer = (given: ClusterAnswer): void =>
      void answers.push(given.kind === "Identity" ? given.answer : given.kind);
    const channel = members.open({ cluster: "a", uid }, { ...SESSION, ...session }, answer);
    return { answers, channel };
  };
  return { clock, hub, members, memberCluster, follow, open, released, events, written };
}

const contact = (seq: number, ok = true): ClusterMessage => ({ seq, kind: "Contact", contact: { ok } });
const renewal = (seq: number): ClusterMessage => ({
  ...{ seq, kind: "TokenRenewal" },
  renewal: { renewed: false, message: `failed ${seq}` },
});
const identity = (seq: number, uid = "u1"): ClusterMessage => ({ seq, kind: "Identity", identity: { uid } });

describe("the clusters to be connected", () => {
  test("are the whole set with its end, then every change, before the change returns", () => {
    const { members, memberCluster, follow } = connected();
    members.upsert(memberCluster("a"), true);
    const { seen, seqs, stream } = follow();
    expect(seen).toEqual(["Start", "a a-object ours", "End"]);
    members.upsert(memberCluster("b"), false);
    members.upsert(memberCluster("b"), true);
    members.remove("a");
    members.remove("a");
    expect(seen.slice(3)).toEqual(["b b-object others", "b b-object ours", "a removed"]);
    expect(seqs).toEqual([0, 1, 2, 3, 4, 5]);
    stream[Symbol.dispose]();
    members.upsert(memberCluster("c"), true);
    expect(seen).toHaveLength(6);
  });

  test("have no end before every MemberCluster of the hub was set or removed, for an empty set would end connections", () => {
    const { members, memberCluster, follow } = connected(undefined, ["a", "b"]);
    const { seen } = follow();
    members.upsert(memberCluster("a"), true);
    expect(seen).toEqual(["Start", "a a-object ours"]);
    members.remove("b");
    expect(seen.slice(2)).toEqual(["End"]);
    expect(follow("another").seen).toEqual(["Start", "a a-object ours", "End"]);
  });

  test("are sent again only if their settings differ, or the MemberCluster is another one", () => {
    const { members, memberCluster, follow } = connected();
    const { seen } = follow();
    for (const uid of ["1", "1", "2", "2"]) members.upsert(memberCluster("a", uid), true);
    expect(seen.slice(2)).toEqual(["a 1 ours", "a 2 ours"]);
  });

  test("are none after the end", async () => {
    const { members, memberCluster, follow } = connected();
    const { seen } = follow();
    await members[Symbol.asyncDispose]();
    members.upsert(memberCluster("a"), true);
    expect(seen).toEqual(["Start", "End"]);
  });

  test("have the UID that was recorded last, even if the MemberCluster is older", async () => {
    const { clock, members, memberCluster, open } = connected();
    const old = memberCluster("a");
    members.upsert(old, true);
    open().channel.send(identity(0));
    await clock.settle();
    const recorded: unknown[] = [];
    const take = (message: ConnectionMessage): void =>
      void (message.kind === "Set" && recorded.push(message.settings.recordedUid));
    members.follow({ version: PROTOCOL_VERSION, worker: "worker" }, { take, ended: () => undefined });
    members.upsert(old, false);
    expect(recorded).toEqual(["u1", "u1"]);
  });

  test("are not sent to a worker of another version, which is told so", () => {
    const { members } = connected();
    const heard: string[] = [];
    members.follow(
      { version: 99, worker: "worker" },
      { take: () => void heard.push("a message"), ended: (why) => void heard.push(why) },
    );
    expect(heard).toEqual([expect.stringContaining("version")]);
  });

  test("come with signs of life, as long as the stream lasts", async () => {
    const { clock, follow } = connected(LIVENESS);
    const { seen, stream } = follow();
    await clock.advance(2_500);
    expect(seen.slice(2)).toEqual(["Heartbeat", "Heartbeat"]);
    stream[Symbol.dispose]();
    await clock.advance(2_500);
    expect(seen).toHaveLength(4);
  });
});

describe("a removed cluster is released", () => {
  test.each<[string, (all: { answer: (uid?: string) => void; stream: ConnectionStream }) => void, boolean]>([
    ["when the worker answers that the connection has ended", ({ answer }) => answer("a-object"), true],
    ["when the worker's stream ends", ({ stream }) => stream[Symbol.dispose](), true],
    ["not by an answer about another MemberCluster of that name", ({ answer }) => answer("before"), false],
  ])("%s", (_, happens, isReleased) => {
    const { members, memberCluster, follow, released } = connected();
    const { stream } = follow();
    members.upsert(memberCluster("a"), true);
    expect(members.remove("a")).toBe(false);
    happens({ stream, answer: (uid) => stream.send({ kind: "Removed", cluster: "a", uid }) });
    expect([members.remove("a"), released]).toEqual([isReleased, isReleased ? ["a"] : []]);
  });

  test("at once if no worker had it", () => {
    const { members, memberCluster } = connected();
    members.upsert(memberCluster("a"), true);
    expect(members.remove("a")).toBe(true);
  });

  test("not before workers of an earlier term have come back or have stopped to write", async () => {
    const { clock, members, memberCluster, released } = connected(LIVENESS);
    members.upsert(memberCluster("a"), true);
    expect(members.remove("a")).toBe(false);
    await clock.advance(LIVENESS.silentAfterMs - 1);
    expect(released).toEqual([]);
    await clock.advance(1);
    expect([released, members.remove("a")]).toEqual([["a"], true]);
  });

  test("by an answer on a later stream of the worker, and not by the loss of the earlier one", () => {
    const { members, memberCluster, follow, released } = connected();
    const lost = follow().stream;
    members.upsert(memberCluster("a"), true);
    members.remove("a");
    const { seen, stream } = follow();
    expect(seen).toEqual(["Start", "End"]);
    lost[Symbol.dispose]();
    lost.send({ kind: "Removed", cluster: "a", uid: "a-object" });
    expect([members.remove("a"), released]).toEqual([false, []]);
    stream.send({ kind: "Removed", cluster: "a", uid: "a-object" });
    expect([members.remove("a"), released]).toEqual([true, ["a"]]);
  });

  test("not before the worker has answered the end of the set: it may hold clusters of an earlier term", async () => {
    const { clock, members, released } = connected(LIVENESS);
    await clock.advance(LIVENESS.silentAfterMs);
    const stream = members.follow(
      { version: PROTOCOL_VERSION, worker: "worker" },
      { take: () => undefined, ended: () => undefined },
    );
    expect(members.remove("a")).toBe(false);
    stream.send({ kind: "Complete" });
    expect([released, members.remove("a")]).toEqual([["a"], true]);
  });

  test("only when all workers have answered", () => {
    const { members, memberCluster, follow, released } = connected();
    const streams = [follow("one").stream, follow("other").stream];
    members.upsert(memberCluster("a"), true);
    members.remove("a");
    for (const stream of streams) {
      expect(released).toEqual([]);
      stream.send({ kind: "Removed", cluster: "a", uid: "a-object" });
    }
    expect(released).toEqual(["a"]);
  });
});

describe("the reports about a cluster", () => {
  test("are written to its MemberCluster, and the answers are passed on", async () => {
    const { members, memberCluster, clock, hub, written, open } = connected();
    members.upsert(memberCluster("a"), true);
    open().channel.send(contact(0));
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
    const { members, memberCluster, clock, hub, events, open } = all;
    members.upsert(memberCluster("a"), true);
    const before = open();
    await change(all);
    for (const { channel, answers } of [before, open({ number: 2 })]) {
      for (const message of [contact(0), renewal(1), identity(2)]) channel.send(message);
      await clock.settle();
      expect(answers).not.toContain("Recorded");
    }
    expect([hub.calls, events, clock.pending]).toEqual([[], [], 0]);
  });

  test.each<[string, (all: ReturnType<typeof connected>, before: ClusterReportChannel) => unknown]>([
    ["its session has ended", (_, before) => before[Symbol.dispose]()],
    ["the worker has begun another session", ({ open }) => open({ number: 2 })],
    ["another worker reports", ({ open }) => open({ worker: "other" })],
  ])("change nothing once %s", async (_, change) => {
    const all = connected();
    const { members, memberCluster, clock, hub, open } = all;
    members.upsert(memberCluster("a"), true);
    const before = open();
    change(all, before.channel);
    before.channel.send(contact(0));
    before.channel.send(identity(1));
    await clock.settle();
    expect([hub.calls, before.answers.includes("Recorded")]).toEqual([[], false]);
  });

  test.each<[string, Partial<typeof SESSION> & { uid?: string }]>([
    ["an older epoch", { epoch: EPOCH - 1 }],
    ["a session that was begun before", { number: 1 }],
    ["another MemberCluster of that name", { uid: "before", number: 3 }],
    ["another version", { version: PROTOCOL_VERSION + 1, number: 3 }],
  ])("are refused from %s", async (_, session) => {
    const { members, memberCluster, clock, hub, open } = connected();
    members.upsert(memberCluster("a"), true);
    open({ number: 2 });
    const { channel, answers } = open(session);
    channel.send(contact(0));
    await clock.settle();
    expect([hub.calls, answers]).toEqual([[], ["Superseded", "Superseded"]]);
  });

  test("are taken in order, each once", () => {
    const { members, memberCluster, events, open } = connected();
    members.upsert(memberCluster("a"), true);
    const { channel } = open();
    for (const seq of [0, 2, 2, 0, 1, 1]) channel.send(renewal(seq));
    expect(events).toHaveLength(3);
  });

  test("are asked for again when one was lost, as a sign of life shows", () => {
    const { members, memberCluster, open } = connected(LIVENESS);
    members.upsert(memberCluster("a"), true);
    const { channel, answers } = open();
    channel.send(renewal(1));
    for (const seq of [2, 3]) channel.send({ seq, kind: "Heartbeat" });
    expect(answers).toEqual(["Resync"]);
    channel.send(contact(0));
    expect(answers).toEqual(["Resync", "Resync"]);
  });

  test("of a silent worker count as no contact", async () => {
    const { members, memberCluster, clock, written, open } = connected(LIVENESS);
    members.upsert(memberCluster("a"), true);
    open().channel.send(contact(0));
    await clock.advance(LIVENESS.silentAfterMs);
    expect(written.at(-1)).toMatchObject({ status: { conditions: [{ reason: "ClusterUnreachable" }] } });
  });

  test("end with the running writes", async () => {
    const { members, memberCluster, hub, clock, open } = connected();
    const answered = Promise.withResolvers<Error>();
    hub.answer = () => answered.promise;
    members.upsert(memberCluster("a"), true);
    open().channel.send(contact(0));
    await clock.settle();
    let isOver = false;
    const ending = members[Symbol.asyncDispose]().then(() => (isOver = true));
    await clock.settle();
    expect([isOver, hub.signals[0]?.aborted]).toEqual([false, true]);
    answered.resolve(new Error("aborted"));
    await ending;
  });
});
