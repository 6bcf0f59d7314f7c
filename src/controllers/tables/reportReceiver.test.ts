import { describe, expect, onTestFinished, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { type ContactReport, PROTOCOL_VERSION, type Report, type ReportAnswer } from "../../ports/index.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_KEY,
  CONFIG_REF,
  observation,
  SHOP,
  workTables,
} from "../testing/builders.ts";
import { ReportReceiver } from "./reportReceiver.ts";

const EPOCH = 7;
const SILENT_MS = 10_000;
const SHOP_KEY = refKey(SHOP);
const OTHER = { ...CONFIG_REF, name: "other" };
const THERE: ContactReport = { ok: true, lastContact: 5, synced: true, pending: false };

/** A receiver that expects the worker of one cluster. */
function receiving({ silentAfterMs }: { silentAfterMs?: number } = {}) {
  const all = workTables();
  const { observations, clock } = all;
  observations.contact(CLUSTER, undefined);
  const receiver = new ReportReceiver({ observations, epoch: EPOCH, clock, silentAfterMs });
  onTestFinished(() => receiver[Symbol.dispose]());
  receiver.expect(CLUSTER);
  const answers: string[] = [];
  const session = ({ number = 1, epoch = EPOCH, worker = "w", version = PROTOCOL_VERSION, cluster = CLUSTER } = {}) => {
    const name = `${worker} ${number}`;
    const answer = ({ kind }: ReportAnswer): void => void answers.push(`${name}: ${kind}`);
    const channel = receiver.open(cluster, { version, worker, number, epoch }, answer);
    let seq = 0;
    const send = (report: Omit<Report, "seq">): void => channel.send({ ...report, seq: seq++ });
    return { channel, send };
  };
  const contact = () => observations.contactOf(CLUSTER);
  const knows = (ref = CONFIG_REF): boolean => observations.get(CLUSTER, refKey(ref)) !== undefined;
  return { ...all, receiver, answers, session, contact, knows };
}

describe("a report changes nothing", () => {
  test.each([
    ["of an earlier epoch", { epoch: EPOCH - 1 }],
    ["of a later epoch", { epoch: EPOCH + 1 }],
    ["of another version of the protocol", { version: PROTOCOL_VERSION + 1 }],
    ["of a cluster without a MemberCluster", { cluster: "elsewhere" }],
    ["of an earlier session of the same worker", { number: 1 }],
  ])("%s, and each one is answered", (_, more) => {
    const { session, answers, observations } = receiving();
    session({ number: 2 });
    const { send } = session({ number: 3, ...more });
    send({ observations: [observation()], contact: THERE });
    send({ observations: [observation({ ref: OTHER })] });
    const name = `w ${"number" in more ? more.number : 3}: Superseded`;
    expect([[...observations.in(CLUSTER)], [...observations.in("elsewhere")]]).toEqual([[], []]);
    expect(answers).toEqual([name, name, name]);
  });

  test("when another session has begun, whoever sends it", () => {
    const { session, answers, knows } = receiving();
    const first = session();
    session({ number: 2 });
    first.send({ observations: [observation()] });
    // The worker knows of its later session.
    expect([knows(), answers]).toEqual([false, []]);
    const other = session({ worker: "x" });
    expect(answers).toEqual(["w 2: Superseded"]);
    first.send({});
    other.send({ observations: [observation()] });
    expect([knows(), answers.length]).toEqual([true, 2]);
  });

  test("of rows that an earlier planner has sent: they acknowledge no row of this one", () => {
    const { session, assignments } = receiving();
    assignments.replace(SHOP_KEY, [applyRow()]);
    assignments.replace(SHOP_KEY, []);
    session({ epoch: EPOCH - 1 }).send({ observations: [absent({ revision: 5_000 })] });
    expect([...assignments.leftBy(SHOP_KEY)]).toHaveLength(1);
    session().send({ observations: [absent({ revision: 2 })] });
    expect([...assignments.leftBy(SHOP_KEY)]).toEqual([]);
  });

  test("after the MemberCluster has gone, and nothing is known of the cluster then", () => {
    const { session, receiver, contact, knows } = receiving();
    const { send } = session();
    send({ observations: [observation()], contact: THERE });
    receiver.forget(CLUSTER);
    send({ observations: [observation()], contact: THERE });
    expect([knows(), contact().reason]).toEqual([false, "ClusterUnknown"]);
  });
});

test("a report is one transaction: whoever is woken sees all of it", () => {
  const { session, observations, assignments, contact } = receiving();
  assignments.replace(SHOP_KEY, [applyRow()]);
  assignments.replace(SHOP_KEY, []);
  const seen: unknown[] = [];
  const look = (): void =>
    void seen.push([contact().synced, [...assignments.leftBy(SHOP_KEY)].length, observations.get(CLUSTER, CONFIG_KEY)]);
  observations.changes.subscribe(look);
  observations.contacts.subscribe(look);
  session().send({ contact: THERE, observations: [absent({ revision: 2 })] });
  expect(seen).toEqual([
    [true, 0, undefined],
    [true, 0, undefined],
  ]);
});

test("doubles and reports in the wrong order are put right", () => {
  const { session, observations } = receiving();
  const { channel } = session();
  channel.send({ seq: 1, observations: [observation({ revision: 2 })] });
  channel.send({ seq: 0, observations: [observation({ revision: 1 })] });
  channel.send({ seq: 0, observations: [observation({ revision: 1 })] });
  expect(observations.get(CLUSTER, CONFIG_KEY)?.revision).toBe(2);
});

test("a lost report ends the session, which is answered until another one begins", () => {
  const { session, answers, knows } = receiving();
  const { channel } = session();
  channel.send({ seq: 1, observations: [observation()] });
  for (const seq of [2, 3, 4]) channel.send({ seq });
  channel.send({ seq: 0 });
  expect([knows(), answers]).toEqual([false, ["w 1: Resync", "w 1: Resync", "w 1: Resync"]]);
  session({ number: 1 });
  session({ number: 2 }).send({ observations: [observation()] });
  expect([knows(), answers.at(-1)]).toEqual([true, "w 1: Superseded"]);
});

describe("a session that has named everything", () => {
  test("makes the rest disappear, and not before", () => {
    const { session, knows } = receiving();
    session().send({ observations: [observation(), observation({ ref: OTHER })] });
    const { send } = session({ number: 2 });
    send({ observations: [observation()] });
    expect([knows(), knows(OTHER)]).toEqual([true, true]);
    send({ complete: { revision: 0 } });
    expect([knows(), knows(OTHER)]).toEqual([true, false]);
  });

  test("acknowledges what it has not named, up to its revision", () => {
    const { session, assignments } = receiving();
    assignments.replace(SHOP_KEY, [applyRow(), applyRow({ ref: OTHER })]);
    assignments.replace(SHOP_KEY, []);
    const left = (): number => [...assignments.leftBy(SHOP_KEY)].length;
    session().send({ complete: { revision: 2 } });
    expect(left()).toBe(2);
    session({ number: 2 }).send({ complete: { revision: 4 } });
    expect(left()).toBe(0);
  });
});

describe("a worker that is silent", () => {
  test("counts as lost, with the time of its last report, until it gives a sign of life", async () => {
    const { session, contact, clock } = receiving({ silentAfterMs: SILENT_MS });
    const { send } = session();
    await clock.advance(1_000);
    send({ contact: THERE });
    const heardAt = clock.now();
    await clock.advance(SILENT_MS - 1);
    expect(contact()).toMatchObject({ ok: true, synced: true });
    await clock.advance(1);
    expect(contact()).toMatchObject({ ok: false, synced: false, pending: false, reason: "ClusterUnreachable" });
    expect(contact().lastContact).toBe(heardAt);
    send({});
    expect(contact()).toMatchObject({ ok: true, synced: true });
  });

  test("counts as lost although it never reported", async () => {
    const { contact, clock } = receiving({ silentAfterMs: SILENT_MS });
    expect(contact()).toMatchObject({ ok: false, pending: true });
    await clock.advance(SILENT_MS);
    expect(contact()).toMatchObject({ ok: false, pending: false, reason: "ClusterUnreachable" });
  });

  test("is not noticed where it runs in this process", async () => {
    const { session, contact, clock } = receiving();
    session().send({ contact: THERE });
    await clock.advance(1_000_000);
    expect(contact()).toMatchObject({ ok: true });
  });
});
