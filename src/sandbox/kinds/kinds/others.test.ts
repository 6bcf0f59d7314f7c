import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../types.ts";
import { kindRules } from "../index.ts";
import { created, rulesOf, type Submission, texts, update } from "../testing/objects.ts";

const object = (apiVersion: string, kind: string, fields: object = {}, name = "x"): Submission => ({
  apiVersion,
  kind,
  metadata: { name },
  ...fields,
});

describe("Pods", () => {
  const pod = (spec: object = {}) =>
    object("v1", "Pod", { spec: { containers: [{ name: "a", image: "b:1" }], ...spec } });

  test("show both forms of their address", () => {
    const live = created(pod());
    const { object: next } = update(
      live,
      (pod) => (pod["status"] = { phase: "Running", podIP: "10.0.0.1" }),
      undefined,
      "status",
    );
    expect(next["status"]).toMatchObject({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], qosClass: "BestEffort" });
  });
});

describe("Namespaces", () => {
  const { rules } = rulesOf({ apiVersion: "v1", kind: "Namespace" });

  test("have their name as a label, are Active and held by a finalizer", () => {
    const live = created(object("v1", "Namespace"));
    expect(live).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "x" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    expect(rules.isHeld?.(live)).toBe(true);
    expect(update(live, (next) => (next["spec"] = {})).object["spec"]).toEqual({ finalizers: ["kubernetes"] });
  });

  test("are Terminating while they go", () => {
    const live = created(object("v1", "Namespace"));
    const env = { services: undefined } as never;
    expect(rules.prepareForDelete?.(live, env)["status"]).toEqual({ phase: "Terminating" });
    const { errors } = update(live, (next) => (next["status"] = { phase: "Terminating" }), undefined, "status");
    expect(texts(errors)).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });
});

describe("Events", () => {
  const { rules } = rulesOf({ apiVersion: "events.k8s.io/v1", kind: "Event" });
  const about = { kind: "Pod", name: "p", namespace: "default" };

  test("of both groups lie in one store, each field under its name of the group", () => {
    expect(rules.storedAs).toEqual({ group: "", plural: "events" });
    const core = created(
      object("v1", "Event", {
        involvedObject: about,
        message: "m",
        reason: "R",
        type: "Normal",
        count: 2,
        source: { component: "c" },
      }),
    );
    const newer = rules.convert?.(core, "events.k8s.io/v1");
    expect(newer).toMatchObject({
      regarding: about,
      note: "m",
      deprecatedCount: 2,
      deprecatedSource: { component: "c" },
    });
    expect(rules.convert?.(newer as KubeObject, "v1")).toEqual(core);
  });

  test("are found by what they are about, under either name", () => {
    const core = created(object("v1", "Event", { involvedObject: about, reason: "R" }));
    expect(kindRules("", "events").selectableFields?.(core, "v1")).toMatchObject({
      "involvedObject.name": "p",
      reason: "R",
    });
    expect(rules.selectableFields?.(core, "events.k8s.io/v1")).toMatchObject({ "regarding.name": "p", reason: "R" });
  });
});

describe("Nodes, Leases, budgets", () => {
  test("a Node says what it has when it joins", () => {
    const node = created(object("v1", "Node", { status: { capacity: { cpu: 4, pods: "110" } } }));
    expect(node["status"]).toMatchObject({ capacity: { cpu: "4" }, allocatable: { cpu: "4", pods: "110" } });
  });

  test("a Lease and a budget are only changed by who has seen them", () => {
    expect(kindRules("coordination.k8s.io", "leases")).toMatchObject({
      allowsUnconditionalUpdate: false,
      allowsCreateOnUpdate: true,
    });
    expect(kindRules("policy", "poddisruptionbudgets").allowsUnconditionalUpdate).toBe(false);
    expect(kindRules("apps", "deployments")).toMatchObject({
      allowsUnconditionalUpdate: true,
      allowsCreateOnUpdate: false,
    });
  });
});
