import { describe, expect, test } from "vitest";
import { DEFAULT_CLASS, type KubeObject, TRACEPARENT_ANNOTATION } from "../apis/index.ts";
import { traceparentOf } from "../observability/index.ts";
import { recordSpans } from "../observability/testing/spanRecorder.ts";
import type { AdmissionRequest } from "./admission/types.ts";
import { traced, traceNote } from "./admissionTrace.ts";
import { requestOf } from "./testing/facts.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SAMPLED = `00-${TRACE}-b7ad6b7169203331-01`;
const CLASSES = new Set([DEFAULT_CLASS]);

function application(image: string, annotations?: Record<string, string>): KubeObject {
  const metadata = { name: "shop", namespace: "default", ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata, spec: { image, replica: 1 } };
}

const allowed = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview" as const,
  response: { uid: "u", allowed: true },
};
const created = requestOf("CREATE", application("nginx:1"));

describe("an admission call", () => {
  test("that fails says why", async () => {
    const { tracer, spans } = recordSpans();
    const answer = (): never => {
      throw new TypeError("broken");
    };
    await expect(traced({ tracer, webhook: "mutate", traceparent: SAMPLED }, created, answer)).rejects.toThrow(
      "broken",
    );
    expect(spans[0]?.attributes["error.type"]).toBe("TypeError");
  });
});

describe("the note of the trace", () => {
  /** What is noted in a request, and the span that it names. */
  async function noted(request: AdmissionRequest, traceparent: string | undefined = SAMPLED, classes = CLASSES) {
    const { tracer, spans } = recordSpans();
    let patch: unknown;
    await traced({ tracer, webhook: "mutate", traceparent }, request, (span) => {
      patch = traceNote(request, classes, span, traceparent);
      return allowed;
    });
    const [span] = spans;
    return { patch, value: span === undefined ? "" : traceparentOf(span.spanContext()) };
  }
  const path = `/metadata/annotations/${TRACEPARENT_ANNOTATION.replace("/", "~1")}`;

  test("comes onto an application that is made", async () => {
    const { patch, value } = await noted(created);
    expect(value.slice(3, 35)).toBe(TRACE);
    expect(patch).toEqual([{ op: "add", path: "/metadata/annotations", value: { [TRACEPARENT_ANNOTATION]: value } }]);
  });

  test("beside annotations that are there, in place of the note of an earlier change", async () => {
    const before = application("nginx:1", { [TRACEPARENT_ANNOTATION]: "earlier" });
    const after = application("nginx:2", { [TRACEPARENT_ANNOTATION]: "earlier" });
    const { patch, value } = await noted({ ...requestOf("UPDATE", after), oldObject: before });
    expect(patch).toEqual([{ op: "add", path, value }]);
  });

  test("names the API server's span where the webhook's own is not recorded", () => {
    const patch = traceNote(created, CLASSES, undefined, SAMPLED);
    expect(patch).toEqual([{ op: "add", path: "/metadata/annotations", value: { [TRACEPARENT_ANNOTATION]: SAMPLED } }]);
  });

  const update = (before: KubeObject, after: KubeObject) => ({ ...requestOf("UPDATE", after), oldObject: before });
  test.each([
    { name: "no trace is there", request: created, traceparent: "" },
    { name: "the trace is not recorded", request: created, traceparent: SAMPLED.replace(/01$/, "00") },
    { name: "only labels change", request: update(application("nginx:1"), application("nginx:1", { team: "a" })) },
    {
      name: "the request brings one",
      request: update(application("nginx:1"), application("nginx:2", { [TRACEPARENT_ANNOTATION]: SAMPLED })),
    },
    { name: "the scale is asked about", request: { ...created, subResource: "scale" } },
    { name: "it is deleted", request: { ...created, operation: "DELETE" as const } },
    {
      name: "the object is a policy",
      request: { ...created, kind: { group: "federation.paas.cmft.com", version: "v1alpha1", kind: "Placement" } },
    },
    { name: "another release serves its class", request: created, classes: new Set(["v2"]) },
  ])("does not come where $name", async ({ request, traceparent, classes }) => {
    expect((await noted(request, traceparent, classes)).patch).toEqual([]);
  });
});
