import { describe, expect, test } from "vitest";
import { type KubeObject, type ObjectRef, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { NamespaceLabels, textOf } from "../model/carriedLabels.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { NamespaceLabeller } from "./namespaceLabels.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CONFIG_REF, objectsWithLog, releaseRow, seen } from "../testing/builders.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";
import type { MemberSession } from "../types.ts";

const TEAM: ObjectRef = { apiVersion: "v1", kind: "Namespace", name: "team" };
const RESTRICTED = { enforce: "restricted" };

const namespace = (annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team", uid: "u1", resourceVersion: "5", annotations },
});

interface Given {
  observed?: Partial<ObservedObject>;
  wanted?: Record<string, string>;
  answer?: Answer;
}

/** Answers of a member whose namespace has these annotations. */
const serving =
  (annotations: Record<string, string> = {}): Answer =>
  ({ verb }) =>
    verb === "get" ? namespace(annotations) : {};

/** A member with our namespace `team`. `wanted`: labels that rows want. */
function labelling({ observed = {}, wanted = RESTRICTED, answer = serving() }: Given = {}) {
  const clock = new FakeClock();
  const end = new AbortController();
  const client = new ScriptedClient(answer);
  const labels = new NamespaceLabels();
  const want = (namespaceLabels: Record<string, string>): void =>
    void labels.take({ verb: "Apply", ref: { ...CONFIG_REF, namespace: "team" }, namespaceLabels });
  want(wanted);
  const parts = objectsWithLog((object: MemberObject) => labeller.enqueue(object));
  const { objects } = parts;
  const { logger, lines } = logLines();
  const session = { cluster: "shanghai-1", client: client.client, signal: end.signal } as unknown as MemberSession;
  const labeller: NamespaceLabeller = new NamespaceLabeller({
    session,
    objects,
    labels,
    clock,
    random: () => 0.5,
    logger,
  });
  const see = (more: Partial<ObservedObject> = {}): void =>
    objects.observe(TEAM, seen({ ref: TEAM, ...observed, ...more }));
  see();
  return { ...parts, labeller, client, calls: client.calls, clock, end, lines, want, see };
}

describe("the Pod Security labels of our namespace", () => {
  test("are written with the annotation that lists them, for the version that was read", async () => {
    const { calls, clock } = labelling();
    await clock.advance(0);
    expect(calls).toMatchObject([
      { verb: "get", what: "namespaces", namespace: undefined, name: "team" },
      {
        verb: "patch",
        name: "team",
        options: { patchType: "application/merge-patch+json" },
        body: {
          metadata: {
            uid: "u1",
            resourceVersion: "5",
            labels: RESTRICTED,
            annotations: { [POD_SECURITY_ANNOTATION]: textOf(RESTRICTED) },
          },
        },
      },
    ]);
  });

  test("that the hub no longer has are removed", async () => {
    const before = '{"enforce":"baseline","warn":"baseline"}';
    const { calls, clock } = labelling({ answer: serving({ [POD_SECURITY_ANNOTATION]: before }) });
    await clock.advance(0);
    expect(calls[1]?.body).toMatchObject({ metadata: { labels: { enforce: "restricted", warn: null } } });
  });

  test("are written again when they change", async () => {
    const { calls, clock, want, see } = labelling();
    await clock.advance(0);
    see({ podSecurity: textOf(RESTRICTED), resourceVersion: "8" });
    calls.length = 0;
    want({ enforce: "privileged" });
    see({ podSecurity: textOf(RESTRICTED), resourceVersion: "9" });
    await clock.advance(0);
    expect(calls).toHaveLength(2);
  });

  test.each<Given & { name: string }>([
    { name: "which has them", observed: { podSecurity: textOf(RESTRICTED) } },
    { name: "where none are wanted, and none were brought", wanted: {} },
    { name: "of somebody else", observed: { isOurs: false } },
    { name: "that is on its way out", observed: { deleting: true } },
  ])("need no request for a namespace $name", async ({ name: _, ...given }) => {
    const { calls, clock } = labelling(given);
    await clock.advance(60_000);
    expect([calls, clock.pending]).toEqual([[], 0]);
  });

  test("are not written to a namespace with a Delete or Release row, nor to another kind", async () => {
    const { take, objects, calls, clock, labeller, find } = labelling({
      observed: { podSecurity: textOf(RESTRICTED) },
    });
    take(releaseRow({ ref: TEAM }));
    objects.observe(TEAM, seen({ ref: TEAM }));
    const ref = { ...CONFIG_REF, name: "team" };
    objects.observe(ref, seen({ ref }));
    labeller.enqueue(find(ref));
    await clock.advance(0);
    expect(calls).toEqual([]);
  });
});

describe("labels that a member refuses", () => {
  const refused = new ApiError(403, "Forbidden", "may not patch namespaces");

  test("are retried slowly despite events, with a log line each time", async () => {
    const { calls, clock, see, lines } = labelling({ answer: () => refused });
    await clock.advance(10);
    for (let change = 0; change < 5; change += 1) {
      see({ resourceVersion: `1${change}` });
      await clock.advance(100);
    }
    expect(calls).toHaveLength(1);
    await clock.advance(1_500);
    expect(calls).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      level: "warn",
      cluster: "shanghai-1",
      namespace: "team",
      event_reason: "NamespaceNotLabelled",
      msg: "the namespace did not get its Pod Security labels: may not patch namespaces",
    });
  });

  test("are retried at once when the row changes, and not when they are present", async () => {
    const { calls, clock, want, see } = labelling({ answer: () => refused });
    await clock.advance(10);
    want({ enforce: "baseline" });
    see({ resourceVersion: "11" });
    await clock.advance(10);
    expect(calls).toHaveLength(2);
    see({ podSecurity: textOf({ enforce: "baseline" }), resourceVersion: "12" });
    await clock.advance(60_000);
    expect([calls.length, clock.pending]).toEqual([2, 0]);
  });

  test("are written by one request at a time", async () => {
    const read = Promise.withResolvers<KubeObject>();
    const { calls, clock, see } = labelling({ answer: ({ verb }) => (verb === "get" ? read.promise : {}) });
    see({ resourceVersion: "8" });
    await clock.advance(10);
    expect(calls).toHaveLength(1);
    read.resolve(namespace());
    await clock.advance(10);
    expect(calls).toHaveLength(2);
  });
});

test("the end of the session cancels the write without a log line", async () => {
  const answered = Promise.withResolvers<Error>();
  const { calls, clock, end, see, lines } = labelling({ answer: () => answered.promise });
  await clock.advance(10);
  end.abort(new Error("over"));
  answered.resolve(new Error("over"));
  see({ resourceVersion: "8" });
  await clock.advance(60_000);
  expect([calls.length, lines, clock.pending]).toEqual([1, [], 0]);
});
