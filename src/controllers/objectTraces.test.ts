import { describe, expect, test } from "vitest";
import { type FederatedStatus, type KubeObject, TRACEPARENT_ANNOTATION } from "../apis/index.ts";
import { ObjectTraces } from "./objectTraces.ts";

const FIRST = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const SECOND = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** An object of generation 2, as its annotation and its status have it. */
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

/** A minute and a half after the object was made. */
const LATER = Date.UTC(2026, 0, 1, 8, 1, 30);
const planned = { isPlanned: true, now: LATER };

const beneath = (traceparent: string) => ({
  parent: expect.objectContaining({ traceId: traceparent.slice(3, 35), isRemote: true }) as object,
});
const beside = (traceparent: string) => ({ links: [expect.objectContaining({ traceId: traceparent.slice(3, 35) })] });

function follow(
  traces: ObjectTraces,
  owner: string,
  given: KubeObject | undefined,
  when: { isPlanned: boolean; now: number },
) {
  return traces.follow(owner, given, { ...when, status: given?.["status"] as FederatedStatus | undefined });
}

describe("the trace of an object's annotation", () => {
  test("is gone on with once; what follows later links to it", () => {
    const traces = new ObjectTraces();
    expect(follow(traces, "shop", object(FIRST), planned)).toEqual(beneath(FIRST));
    expect(follow(traces, "shop", object(FIRST), planned)).toEqual(beside(FIRST));
    expect(follow(traces, "shop", object(SECOND, 2), planned)).toEqual(beneath(SECOND));
    expect(follow(traces, "shop", object(SECOND, 2), planned)).toEqual(beside(SECOND));
  });

  test("is that of each object by itself", () => {
    const traces = new ObjectTraces();
    follow(traces, "shop", object(FIRST), planned);
    expect(follow(traces, "blog", object(FIRST), planned)).toEqual(beneath(FIRST));
  });

  test("is linked to by a manager that starts and finds the change carried out", () => {
    expect(follow(new ObjectTraces(), "shop", object(FIRST, 2), planned)).toEqual(beside(FIRST));
    expect(follow(new ObjectTraces(), "shop", object(FIRST, 1), planned)).toEqual(beneath(FIRST));
  });

  test("is linked to by a manager that starts and finds a change of which nobody knows how long ago it was made", () => {
    const unknown = { isPlanned: false, now: LATER };
    expect(follow(new ObjectTraces(), "shop", object(FIRST, 1), unknown)).toEqual(beside(FIRST));
    const justMade = { isPlanned: false, now: LATER - 60_000 };
    expect(follow(new ObjectTraces(), "shop", object(FIRST), justMade)).toEqual(beneath(FIRST));
  });

  test.each([undefined, "", "nonsense"])("is none: %s", (text) => {
    expect(follow(new ObjectTraces(), "shop", object(text), planned)).toBeUndefined();
  });

  test("is forgotten with the object", () => {
    const traces = new ObjectTraces();
    follow(traces, "shop", object(FIRST), planned);
    expect(follow(traces, "shop", undefined, planned)).toBeUndefined();
    expect(follow(traces, "shop", object(FIRST), planned)).toEqual(beneath(FIRST));
  });
});
