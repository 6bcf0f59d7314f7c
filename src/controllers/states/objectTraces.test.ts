import { describe, expect, test } from "vitest";
import {
  type FederatedStatus,
  type KubeObject,
  type OverridePolicy,
  TRACEPARENT_ANNOTATION,
} from "../../apis/index.ts";
import type { Origin } from "../../observability/index.ts";
import { ObjectStates } from "./objectStates.ts";
import { causeOf, type ObjectTraces } from "./objectTraces.ts";

const FIRST = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const SECOND = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** An object of generation 2 with this annotation and this observed generation. */
function object(traceparent: string | undefined, observedGeneration?: number): KubeObject {
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: {
      name: "shop",
      namespace: "default",
      generation: 2,
      creationTimestamp: "2026-01-01T08:00:00Z",
      ...(traceparent === undefined ? {} : { annotations: { [TRACEPARENT_ANNOTATION]: traceparent } }),
    },
    ...(observedGeneration === undefined ? {} : { status: { observedGeneration } }),
  };
}

/** 90 seconds after the creation of the object. */
const LATER = Date.UTC(2026, 0, 1, 8, 1, 30);
const planned = { isPlanned: true, now: LATER };

const beneath = (traceparent: string) => ({
  parent: expect.objectContaining({ traceId: traceparent.slice(3, 35), isRemote: true }) as object,
});
const contextIn = (traceparent: string) => expect.objectContaining({ traceId: traceparent.slice(3, 35) }) as object;
const beside = (traceparent: string) => ({ links: [contextIn(traceparent)] });

type When = { isPlanned: boolean; now: number };

function follow(traces: ObjectTraces, owner: string, given: KubeObject | undefined, when: When) {
  return traces.follow(owner, given, { ...when, status: given?.["status"] as FederatedStatus | undefined });
}

/** Records a run with this span, so many milliseconds after {@link LATER}. */
function run(traces: ObjectTraces, spanId: string, ms = 0, change?: Origin["change"]): Origin {
  const origin = { spanContext: { traceId: "t", spanId, traceFlags: 1 }, reconcileId: spanId, at: LATER + ms, change };
  traces.ran("shop", { span: undefined, origin });
  return origin;
}

describe("the trace of an object's annotation", () => {
  test("is gone on with once; what follows later links to it", () => {
    const traces = new ObjectStates().traces;
    expect(follow(traces, "shop", object(FIRST), planned)).toEqual(beneath(FIRST));
    expect(follow(traces, "shop", object(FIRST), planned)).toEqual(beside(FIRST));
    expect(follow(traces, "shop", object(SECOND, 2), planned)).toEqual(beneath(SECOND));
    expect(follow(traces, "shop", object(SECOND, 2), planned)).toEqual(beside(SECOND));
  });

  test("is linked to by a manager that starts and finds the change carried out", () => {
    expect(follow(new ObjectStates().traces, "shop", object(FIRST, 2), planned)).toEqual({
      ...beside(FIRST),
      change: contextIn(FIRST),
    });
    expect(follow(new ObjectStates().traces, "shop", object(FIRST, 1), planned)).toEqual(beneath(FIRST));
  });

  test("is linked to by a manager that starts and finds a change of which nobody knows how long ago it was made", () => {
    const unknown = { isPlanned: false, now: LATER };
    expect(follow(new ObjectStates().traces, "shop", object(FIRST, 1), unknown)).toMatchObject(beside(FIRST));
    const justMade = { isPlanned: false, now: LATER - 60_000 };
    expect(follow(new ObjectStates().traces, "shop", object(FIRST), justMade)).toEqual(beneath(FIRST));
  });

  test("is forgotten with the object", () => {
    const traces = new ObjectStates().traces;
    follow(traces, "shop", object(FIRST), planned);
    expect(follow(traces, "shop", undefined, planned)).toBeUndefined();
    expect(follow(traces, "shop", object(FIRST), planned)).toEqual(beneath(FIRST));
  });
});

describe("a change", () => {
  const at = (ms: number) => ({ ...planned, now: LATER + ms });
  const changed = (generation: number): KubeObject => {
    const { metadata, ...rest } = object(undefined);
    return { ...rest, metadata: { ...metadata, generation } };
  };

  test("goes on in its trace for a moment, and beside it after that, however often the object is planned", () => {
    const traces = new ObjectStates().traces;
    expect(follow(traces, "shop", changed(2), at(0))).toBeUndefined();
    const { spanContext: first } = run(traces, "first");
    expect(follow(traces, "shop", changed(2), at(900))).toEqual({ parent: first });
    run(traces, "second", 900);
    expect(follow(traces, "shop", changed(2), at(60_000))).toEqual({ links: [first], change: first });
    const third = run(traces, "third", 60_000, first);
    expect(traces.lastOf("shop")).toBe(third);
    expect(follow(traces, "shop", changed(2), at(60_001))).toEqual({ links: [first], change: first });
  });

  test("ends with the object: what is done once that is gone links to it", () => {
    const traces = new ObjectStates().traces;
    follow(traces, "shop", changed(2), at(0));
    const { spanContext } = run(traces, "first");
    expect(follow(traces, "shop", undefined, at(5_000))).toMatchObject({ links: [spanContext] });
    expect(traces.lastOf("shop")).toBeUndefined();
  });

  describe("of something that the object depends on", () => {
    const login = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "login" };
    const secret = causeOf(login, { annotations: { [TRACEPARENT_ANNOTATION]: FIRST } });

    test("begins another one, with links, and is named once, for the plan that follows", () => {
      const traces = new ObjectStates().traces;
      follow(traces, "shop", changed(2), at(0));
      const { spanContext: first } = run(traces, "first");
      traces.because(secret, "shop");
      expect(follow(traces, "shop", changed(2), at(5_000))).toEqual({ links: [first, contextIn(FIRST)] });
      const { spanContext: second } = run(traces, "second", 5_000);
      expect([traces.takeCause("shop"), traces.takeCause("shop")]).toEqual(["/Secret/default/login", undefined]);
      expect(follow(traces, "shop", changed(2), at(9_000))).toEqual({ links: [second], change: second });
    });

    test("is the same one where somebody applies all of it in one go", () => {
      const traces = new ObjectStates().traces;
      follow(traces, "shop", changed(2), at(0));
      const { spanContext: first } = run(traces, "first");
      traces.because(secret, "shop");
      expect(follow(traces, "shop", changed(2), at(100))).toEqual({ parent: first, links: [contextIn(FIRST)] });
      run(traces, "second", 100);
      expect(follow(traces, "shop", changed(2), at(5_000))).toMatchObject({ links: [first] });
    });

    test("is noted for the objects that a policy selects, as they are read", () => {
      const traces = new ObjectStates().traces;
      const policy = { apiVersion: "federation.paas.cmft.com/v1", kind: "OverridePolicy", metadata: { name: "eu" } };
      expect([...traces.becauseOf(policy as OverridePolicy, ["shop", undefined])]).toEqual(["shop", undefined]);
      follow(traces, "shop", changed(2), at(0));
      expect(traces.takeCause("shop")).toBe("federation.paas.cmft.com/OverridePolicy//eu");
      expect(traces.takeCause("blog")).toBeUndefined();
    });
  });
});

describe("our own claim of an object", () => {
  const later = (generation: number): KubeObject => {
    const given = object(undefined);
    return { ...given, metadata: { ...given.metadata, generation } };
  };

  test("is no other change, though the generation is another one", () => {
    const traces = new ObjectStates().traces;
    follow(traces, "shop", object(undefined), planned);
    const first = run(traces, "s1");
    traces.claimed("shop", object(undefined), later(3));
    expect(follow(traces, "shop", later(3), planned)).toMatchObject({ parent: first.spanContext });
    expect(follow(traces, "shop", later(4), planned)).toBeUndefined();
  });
});
