import { describe, expect, test } from "vitest";
import { fc, test as property } from "@fast-check/vitest";
import type { KubeObject, ResourceName } from "../types.ts";
import { chargesOf, fitsScopes, isConsumer, isSame, type Usage, usageOf } from "./index.ts";

const PODS = { group: "", plural: "pods" };
const CLAIMS = { group: "", plural: "persistentvolumeclaims" };
const CONFIG_MAPS = { group: "", plural: "configmaps" };

const object = (kind: string, spec: unknown, status: unknown = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "a", namespace: "default" },
  spec,
  status,
});
const container = (name: string, requests: Usage = {}, limits: Usage = {}, more: object = {}) => ({
  name,
  image: "nginx:1",
  resources: { requests, limits },
  ...more,
});
const quota = (hard: Usage, used: Usage, spec: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "few", namespace: "default" },
  spec: { hard, ...spec },
  status: { hard, used },
});

describe("an object uses up", () => {
  test.each<{ what: string; resource: ResourceName; object: KubeObject; usage: Usage }>([
    {
      what: "storage, also of its class",
      resource: CLAIMS,
      object: object("PersistentVolumeClaim", {
        storageClassName: "gold",
        resources: { requests: { storage: "5Gi" } },
      }),
      usage: {
        "count/persistentvolumeclaims": "1",
        persistentvolumeclaims: "1",
        "requests.storage": "5Gi",
        "gold.storageclass.storage.k8s.io/requests.storage": "5Gi",
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      },
    },
    {
      what: "what the greatest of those asks for that run before, if that is more",
      resource: PODS,
      object: object("Pod", {
        containers: [container("a", { cpu: "1" })],
        initContainers: [
          container("sidecar", { cpu: "1" }, {}, { restartPolicy: "Always" }),
          container("first", { cpu: "3" }),
        ],
      }),
      usage: { "count/pods": "1", pods: "1", cpu: "4", "requests.cpu": "4" },
    },
    {
      what: "nothing but itself once it has ended",
      resource: PODS,
      object: object("Pod", { containers: [container("a", { cpu: "1" })] }, { phase: "Succeeded" }),
      usage: { "count/pods": "1" },
    },
  ])("$what", ({ resource, object: given, usage }) => {
    expect(usageOf(resource, given)).toEqual(usage);
  });

  test("nothing that no quota could name", () => {
    const pod = object("Pod", { containers: [container("a", { cpu: "1", memory: "1" }, { cpu: "1" })] });
    for (const name of Object.keys(usageOf(PODS, pod))) expect(isConsumer(PODS, name)).toBe(true);
    expect(isConsumer(CONFIG_MAPS, "pods")).toBe(false);
    expect(isConsumer(PODS, "requests.storage")).toBe(false);
  });
});

describe("a quota", () => {
  const pod = (requests: Usage = {}) => object("Pod", { containers: [container("a", requests)] });

  test("of requests wants every container to say what it asks for", () => {
    const limited = quota({ "requests.cpu": "1", memory: "1Gi" }, { "requests.cpu": "0", memory: "0" });
    const silent = object("Pod", { containers: [container("b"), container("a", { cpu: "1m" })] });
    expect(() => chargesOf([limited], PODS, silent, undefined)).toThrow(
      "failed quota: few: must specify memory for: a,b; requests.cpu for: b",
    );
  });

  test("that is not counted yet refuses nothing, and one that is half counted everything", () => {
    const fresh = { ...quota({ pods: "0" }, {}), status: {} };
    expect(chargesOf([fresh], PODS, pod(), undefined)).toEqual([]);
    expect(() => chargesOf([quota({ pods: "1" }, {})], PODS, pod(), undefined)).toThrow(
      "status unknown for quota: few, resources: pods",
    );
  });

  test.each([
    { scopes: { scopes: ["BestEffort"] }, spec: { containers: [container("a")] }, fits: true },
    { scopes: { scopes: ["BestEffort"] }, spec: { containers: [container("a", { cpu: "1" })] }, fits: false },
    {
      scopes: { scopes: ["NotBestEffort", "NotTerminating"] },
      spec: { containers: [container("a", { cpu: "1" })] },
      fits: true,
    },
    { scopes: { scopes: ["Terminating"] }, spec: { activeDeadlineSeconds: 1 }, fits: true },
    {
      scopes: {
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
      },
      spec: { priorityClassName: "low" },
      fits: false,
    },
    {
      scopes: {
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "NotIn", values: ["high"] }] },
      },
      spec: { priorityClassName: "low" },
      fits: true,
    },
  ])("with $scopes is about pods with $spec: $fits", ({ scopes, spec, fits }) => {
    expect(fitsScopes(quota({ pods: "1" }, {}, scopes), PODS, object("Pod", spec))).toBe(fits);
  });

  property.prop([fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 12 }), fc.integer({ min: 1, max: 2000 })])(
    "never lets more in than it allows, and counts what it let in",
    (requests, hard) => {
      let current = quota({ cpu: `${hard}m` }, { cpu: "0" });
      let taken = 0;
      for (const amount of requests) {
        const asking = pod({ cpu: `${amount}m` });
        if (taken + amount > hard) {
          expect(() => chargesOf([current], PODS, asking, undefined)).toThrow("exceeded quota: few");
          continue;
        }
        taken += amount;
        const [charge] = chargesOf([current], PODS, asking, undefined);
        expect(isSame(charge?.used ?? {}, { cpu: `${taken}m` })).toBe(true);
        current = quota({ cpu: `${hard}m` }, charge?.used ?? {});
      }
    },
  );
});
