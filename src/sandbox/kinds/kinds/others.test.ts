import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../types.ts";
import { kindRules } from "../index.ts";
import { create, created, rulesOf, type Submission, texts, update } from "../testing/objects.ts";

const object = (apiVersion: string, kind: string, fields: object = {}, name = "x"): Submission => ({
  apiVersion,
  kind,
  metadata: { name },
  ...fields,
});
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

describe("Pods", () => {
  const pod = (spec: object = {}) =>
    object("v1", "Pod", { spec: { containers: [{ name: "a", image: "b:1" }], ...spec } });

  test("begin Pending, with their class of service", () => {
    expect(create(pod()).object["status"]).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    const resources = { limits: { cpu: "1", memory: "1Gi" } };
    const guaranteed = create(pod({ containers: [{ name: "a", image: "b", resources }] })).object;
    expect(guaranteed["status"]).toMatchObject({ qosClass: "Guaranteed" });
    // In a Pod, what is limited is requested.
    expect(guaranteed["spec"]).toMatchObject({ containers: [{ resources: { requests: resources.limits } }] });
  });

  test("can change their images, and hardly anything else", () => {
    const live = created(pod());
    const change = (spec: object) =>
      texts(update(live, (next) => (next["spec"] = { ...(next["spec"] as object), ...spec })).errors);
    expect(change({ containers: [{ ...containerOf(live), image: "c" }] })).toEqual([]);
    expect(change({ hostname: "h" })[0]).toMatch(/^spec: Forbidden: pod updates may not change fields other than/);
    expect(change({ containers: [containerOf(live), containerOf(live)] })).toContain(
      "spec.containers: Forbidden: pod updates may not add or remove containers",
    );
    expect(change({ tolerations: [{ key: "a", operator: "Exists" }] })).toEqual([]);
  });

  test("that run have time to end, others have not", () => {
    const { rules } = rulesOf(pod());
    const grace = (spec: object, phase: string, seconds?: number) =>
      rules.gracePeriodSeconds?.(
        { ...created(pod(spec)), status: { phase } },
        seconds === undefined ? {} : { gracePeriodSeconds: seconds },
      );
    expect(grace({}, "Pending")).toBe(0);
    expect(grace({ nodeName: "n" }, "Running")).toBe(30);
    expect(grace({ nodeName: "n" }, "Running", 5)).toBe(5);
    expect(grace({ nodeName: "n" }, "Succeeded")).toBe(0);
    expect(grace({ nodeName: "n" }, "Running", -1)).toBe(1);
  });

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

function containerOf(pod: KubeObject): object {
  return (pod["spec"] as { containers: object[] }).containers[0] ?? {};
}

describe("ConfigMaps and Secrets", () => {
  test("that are immutable stay so", () => {
    const live = created(object("v1", "ConfigMap", { immutable: true, data: { a: "b" } }));
    const { errors } = update(live, (next) => Object.assign(next, { immutable: false, data: { a: "c" } }));
    expect(texts(errors)).toEqual([
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
  });

  test("what is written plainly into a Secret is kept in base64, and wins", () => {
    const secret = created(object("v1", "Secret", { stringData: { a: "b" }, data: { a: "AAAA", c: "AAAA" } }));
    expect(secret).toMatchObject({ type: "Opaque", data: { a: "Yg==", c: "AAAA" } });
    expect(secret).not.toHaveProperty("stringData");
  });

  test("a type promises keys, and never changes", () => {
    expect(texts(create(object("v1", "Secret", { type: "kubernetes.io/tls" })).errors)).toEqual([
      "data[tls.crt]: Required value",
      "data[tls.key]: Required value",
    ]);
    const { errors } = update(created(object("v1", "Secret")), (next) => (next["type"] = "other"));
    expect(texts(errors)).toEqual(['type: Invalid value: "other": field is immutable']);
  });

  test("they hold a mebibyte", () => {
    const data = { a: "x".repeat(1024 * 1024 + 1) };
    expect(texts(create(object("v1", "ConfigMap", { data })).errors)).toEqual([
      "[]: Too long: may not be more than 1048576 bytes",
    ]);
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

describe("RBAC", () => {
  const api = "rbac.authorization.k8s.io/v1";

  test("rules say what is allowed on what", () => {
    expect(texts(create(object(api, "Role", { rules: [{ verbs: [] }] })).errors)).toEqual([
      "rules[0].verbs: Required value: verbs must contain at least one value",
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ]);
    expect(create(object(api, "ClusterRole", {}, "system:x")).object).toMatchObject({ rules: null });
  });

  test("a binding never points elsewhere", () => {
    const live = created(
      object(api, "RoleBinding", {
        roleRef: { kind: "ClusterRole", name: "view" },
        subjects: [{ kind: "User", name: "u" }],
      }),
    );
    expect(live).toMatchObject({
      roleRef: { apiGroup: "rbac.authorization.k8s.io" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io" }],
    });
    const { errors } = update(live, (next) => Object.assign(next["roleRef"] as object, { name: "edit" }));
    expect(texts(errors)[0]).toMatch(/^roleRef: Invalid value: .* cannot change roleRef$/);
  });
});

describe("HorizontalPodAutoscalers", () => {
  const v2 = (spec: object) =>
    created(
      object("autoscaling/v2", "HorizontalPodAutoscaler", {
        spec: { maxReplicas: 3, scaleTargetRef: target, ...spec },
      }),
    );

  test("aim at 80 % of the requested CPU by default", () => {
    expect(v2({})["spec"]).toMatchObject({
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ],
    });
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

  test("speak of objects of their own namespace", () => {
    expect(texts(create(object("v1", "Event", { involvedObject: { namespace: "other" } })).errors)).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
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

  test("a finalizer of a built-in kind has a domain", () => {
    const { errors } = create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", finalizers: ["mine"] } });
    expect(texts(errors)).toEqual([
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  test("no new finalizers are added to what goes", () => {
    const live = created(object("v1", "ConfigMap"));
    const going = {
      ...live,
      metadata: { ...live.metadata, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a/b"] },
    };
    const { errors } = update(going, (next) => (next.metadata.finalizers = ["a/b", "c/d"]));
    expect(texts(errors)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    ]);
  });
});
