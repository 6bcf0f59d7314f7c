import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Health } from "../types.ts";
import { condition, degraded, failed, judge, pending, progressing, unknown } from "../testing/workloadHealth.ts";
import { hasNoStatus, isTelling, polarityOf } from "./generic.ts";

const KIND = "example.com/v1 Widget";
const widget = (...conditions: object[]): Health => judge(KIND, { status: { conditions } });
const AVAILABLE: Health = { state: "Available" };
const READY = condition("Ready", "True");

const GOOD = [
  "Ready",
  "Available",
  "Healthy",
  "Synced",
  "Established",
  "Complete",
  "Succeeded",
  "Accepted",
  "Programmed",
];
const GOOD_IN_KUBERNETES = ["Initialized", "ContainersReady", "NamesAccepted", "AbleToScale", "ScalingActive"];
const BAD_IN_KUBERNETES = ["ReplicaFailure", "FailureTarget", "Suspended", "LoadBalancerPortsError"];
const BAD: readonly [type: string, health: (reason: string, message?: string) => Partial<Health>][] = [
  ["Failed", failed],
  ["Stalled", failed],
  ["Degraded", degraded],
  ["Reconciling", progressing],
  ["Progressing", progressing],
];
const ofBad = BAD.map(([type]) => type);
const OTHER = ["Painted", "ready", ""];

test("each type of condition has its polarity, and tells of health or not", () => {
  const found = (types: readonly string[]) => new Set(types.map((type) => `${polarityOf(type)} ${isTelling(type)}`));
  expect(found(GOOD)).toEqual(new Set(["Good true"]));
  expect(found(ofBad)).toEqual(new Set(["Bad true"]));
  expect(found(GOOD_IN_KUBERNETES)).toEqual(new Set(["Good false"]));
  expect(found(BAD_IN_KUBERNETES)).toEqual(new Set(["Bad false"]));
  expect(found(OTHER)).toEqual(new Set(["undefined false"]));
});

describe("an object of a kind that nobody knows", () => {
  test.each<[string, object | undefined, Partial<Health>]>([
    [
      "has no status",
      undefined,
      unknown("NoReport", "it has no status there yet; spec.health of the placement can say whether it is healthy"),
    ],
    [
      "reports other things",
      { endpoint: "10.0.0.1", nodes: 3 },
      unknown("NoReport", "its status does not say whether it is healthy; spec.health of the placement can"),
    ],
    ["has a condition that nobody knows", { conditions: [condition("Painted", "True")] }, unknown("NoReport")],
    ["is observed, without complaint", { observedGeneration: 2 }, AVAILABLE],
    ["is observed of the generation before", { observedGeneration: 1, x: 1 }, pending],
    [
      "was ready at the generation before",
      { observedGeneration: 1, conditions: [READY] },
      { ...pending, serves: "Before" },
    ],
    ["is in a phase before it is observed", { observedGeneration: 2, phase: "Pending" }, progressing("PhasePending")],
  ])("%s", (_name, status, want) => {
    expect(judge(KIND, status === undefined ? {} : { status })).toEqual({
      ...want,
      ...(want.state === "Available" ? {} : { message: want.message ?? (expect.any(String) as unknown) }),
    });
  });

  test.prop([
    fc.record(
      {
        ready: fc.constantFrom("True", "False", "Unknown", "Perhaps"),
        stalled: fc.boolean(),
        behind: fc.boolean(),
        phase: fc.constantFrom("Ready", "Pending", "Odd"),
      },
      { requiredKeys: [] },
    ),
  ])("is available only if something said so of the present generation and nothing spoke against it", (said) => {
    const conditions = [
      ...(said.ready === undefined ? [] : [condition("Ready", said.ready)]),
      ...(said.stalled === undefined ? [] : [condition("Stalled", said.stalled ? "True" : "False")]),
    ];
    const status = {
      conditions,
      ...(said.behind === undefined ? {} : { observedGeneration: said.behind ? 1 : 2 }),
      ...(said.phase === undefined ? {} : { phase: said.phase }),
    };
    if (judge(KIND, { status }).state !== "Available") return;
    expect(said.behind).not.toBe(true);
    expect(said.stalled).not.toBe(true);
    expect(said.ready === undefined || said.ready === "True").toBe(true);
    expect(said.ready === "True" || said.phase === "Ready" || (said.behind === false && said.phase === undefined)).toBe(
      true,
    );
  });
});

describe("conditions", () => {
  test.each(GOOD)("“%s” alone makes an object available, and keeps it on its way while it is not True", (type) => {
    expect(widget(condition(type, "True"))).toStrictEqual(AVAILABLE);
    for (const status of ["False", "Unknown"])
      expect(widget(condition(type, status))).toStrictEqual(
        progressing(`Not${type}`, `condition ${type} is ${status}`),
      );
  });

  test.each(BAD)("“%s” counts while it is True", (type, health) => {
    const want = health(type, `condition ${type} is True`);
    expect(widget(condition(type, "True"))).toStrictEqual(want);
    expect(widget(READY, condition(type, "True"))).toStrictEqual({ ...want, serves: "Now" });
    for (const status of ["False", "Unknown"]) expect(widget(READY, condition(type, status))).toStrictEqual(AVAILABLE);
  });

  test("count by trouble before work, by work before what is missing, and by that before the phase", () => {
    const [bad, working] = [condition("Degraded", "True"), condition("Reconciling", "True")];
    const missing = condition("Ready", "False");
    const reason = (...conditions: object[]) => judge(KIND, { status: { phase: "Failed", conditions } }).reason;
    expect(reason(working, missing, bad)).toBe("Degraded");
    expect(reason(missing, working)).toBe("Reconciling");
    expect(reason(missing)).toBe("NotReady");
    expect(reason(READY)).toBeUndefined();
    expect(reason()).toBe("PhaseFailed");
  });

  test.each(["NewReplicaSetAvailable", "Succeeded", "Completed", "Complete"])(
    "Progressing stays True with %s at the end of the work, and Reconciling does not",
    (reason) => {
      expect(widget(READY, condition("Progressing", "True", reason))).toStrictEqual(AVAILABLE);
      expect(widget(READY, condition("Reconciling", "True", reason))).toMatchObject(progressing(reason));
    },
  );

  const of = (...given: [type: string, status: string, observedGeneration?: number | undefined][]): Health =>
    widget(
      ...given.map(([type, status, observedGeneration]) =>
        condition(type, status, "", "", observedGeneration === undefined ? {} : { observedGeneration }),
      ),
    );

  test("of an older generation make no object available, and tell what served before", () => {
    const servedBefore = { ...pending, serves: "Before" };
    expect([of(["Ready", "True", 2]), of(["Ready", "True", 3]), of(["Ready", "True"])]).toEqual(
      Array(3).fill(AVAILABLE),
    );
    expect(of(["Ready", "True", 1])).toEqual(servedBefore);
    expect(of(["Ready", "False", 1])).toEqual(pending);
    expect(of(["Synced", "True", 2], ["Ready", "True", 1])).toEqual(servedBefore);
    expect(of(["Synced", "False", 2], ["Ready", "True", 1])).toEqual(pending);
  });

  test.each(ofBad)("“%s” of an older generation is forgotten", (type) => {
    expect(of(["Ready", "True", 2], [type, "True", 1])).toEqual(AVAILABLE);
    expect(of(["Ready", "True", 2], [type, "True", 2])).toMatchObject({ reason: type, serves: "Now" });
  });
});

describe("phases", () => {
  const phase = (text: string, message?: string) => judge(KIND, { status: { phase: text, message } });

  test.each<[Health["state"], string[]]>([
    ["Available", ["Active", "Available", "Bound", "Ready", "Running", "Succeeded"]],
    ["Failed", ["Failed", "Error", "Lost"]],
    ["Degraded", ["Degraded"]],
    ["Progressing", ["Pending", "Creating", "Initializing", "Provisioning", "Progressing", "Reconciling"]],
    ["Progressing", ["Updating", "Upgrading", "Scaling", "Deleting", "Terminating"]],
    ["Unknown", ["Simmering"]],
  ])("are %s by convention: %j", (state, phases) => {
    for (const text of phases) {
      const [bare, reason] = [phase(text), `Phase${text}`];
      if (state === "Available") expect(phase(text, "for 3 days"), text).toStrictEqual(AVAILABLE);
      else expect(bare, text).toStrictEqual({ state, reason, message: `phase ${text}` });
    }
  });
});

test.each([
  ["v1", "ConfigMap Secret ServiceAccount Endpoints Event LimitRange PodTemplate ResourceQuota"],
  ["apps/v1", "ControllerRevision"],
  ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration ValidatingWebhookConfiguration"],
  ["admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"],
  ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"],
  ["coordination.k8s.io/v1", "Lease"],
  ["discovery.k8s.io/v1", "EndpointSlice"],
  ["networking.k8s.io/v1", "IngressClass NetworkPolicy"],
  ["node.k8s.io/v1", "RuntimeClass"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole ClusterRoleBinding Role RoleBinding"],
  ["scheduling.k8s.io/v1", "PriorityClass"],
  ["storage.k8s.io/v1", "CSIDriver StorageClass"],
])("an object of a built-in kind without a status is available until it is deleted: %s %s", (version, kinds) => {
  const metadata = { deletionTimestamp: "2026-11-22T10:00:00Z" };
  for (const kind of kinds.split(" ").map((name) => `${version} ${name}`)) {
    expect(judge(kind, {}), kind).toEqual(AVAILABLE);
    expect(judge(kind, { metadata }), kind).toMatchObject(progressing("Terminating"));
  }
});

test.each([
  ["", "StorageClass"],
  ["", "Pod"],
  ["example.com", "Secret"],
])("a kind “%s/%s” has a status", (group, kind) => expect(hasNoStatus(group, kind)).toBe(false));
