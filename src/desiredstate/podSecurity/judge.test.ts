import { describe, expect, test } from "vitest";
import {
  inFull,
  type KubeObject,
  type OverridePolicy,
  type OverrideRule,
  type PatchOperation,
} from "../../apis/index.ts";
import { app, overrides, placement, shanghai, targetOf } from "../testing/builders.ts";
import type { Why } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";
import { namespaceTerms } from "./terms.ts";

const FEDERATION = "federation.paas.cmft.com";

function terms(labels: Record<string, string> = {}, annotations: Record<string, string> = {}, isProtected = false) {
  const prefixed = Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]);
  const ours = Object.entries(annotations).map(([key, value]) => [`${FEDERATION}/${key}`, value]);
  const [own, notes] = [Object.fromEntries(prefixed), Object.fromEntries(ours)] as Record<string, string>[];
  return namespaceTerms({ name: "default", labels: own ?? {}, annotations: notes ?? {} }, isProtected);
}

/** Puts a value into the pods. */
const pods = (path: string, value: unknown): OverrideRule => ({
  patches: [{ op: "add", path: `/spec/template/spec/${path}`, value, kind: "Deployment" } as PatchOperation],
});
const tenants = (...rules: OverrideRule[]): OverridePolicy => overrides("debug", ...rules);
function administrators(...rules: OverrideRule[]): OverridePolicy {
  const { metadata, ...rest } = overrides("agents", ...rules);
  return { ...rest, kind: "ClusterOverridePolicy", metadata: { name: metadata.name } };
}

function problem(policies: OverridePolicy[], more: Partial<Snapshot> = {}) {
  const target = targetOf({ placements: [placement("p")], overrides: policies, clusters: [shanghai], ...more });
  const found = target.clusters[0]?.problem;
  return found && inFull(found);
}

const PRIVILEGED = { name: "agent", image: "agent:1", securityContext: { privileged: true } };
const HOST_PATH = { name: "node", hostPath: { path: "/" } };

describe("a tenant's policy gives no pod more than the namespace has", () => {
  test.each<{ what: string; rule: OverrideRule; want: Why }>([
    {
      what: "a process namespace of the node",
      rule: pods("hostPID", true),
      want: {
        reason: "PodSecurity",
        message: "OverridePolicy debug, rule 0: spec.hostPID must not be true (level baseline)",
      },
    },
    {
      what: "a privileged container",
      rule: pods("containers/0/securityContext", { privileged: true }),
      want: {
        reason: "PodSecurity",
        message:
          "OverridePolicy debug, rule 0: spec.containers[nginx-demo].securityContext.privileged must not be true (level baseline)",
      },
    },
    {
      what: "files of the node",
      rule: pods("volumes", [HOST_PATH]),
      want: {
        reason: "PodSecurity",
        message: "OverridePolicy debug, rule 0: spec.volumes[node].hostPath must not be set (level baseline)",
      },
    },
    {
      what: "another service account",
      rule: pods("serviceAccountName", "builder"),
      want: {
        reason: "NotAllowed",
        message:
          "OverridePolicy debug, rule 0: spec.serviceAccountName must not be builder (not in the annotation federation.paas.cmft.com/allowed-service-accounts of namespace default)",
      },
    },
    {
      what: "another service account by the older field",
      rule: pods("serviceAccount", "builder"),
      want: {
        reason: "NotAllowed",
        message:
          "OverridePolicy debug, rule 0: spec.serviceAccount must not be builder (not in the annotation federation.paas.cmft.com/allowed-service-accounts of namespace default)",
      },
    },
    {
      what: "a node by name",
      rule: pods("nodeName", "control-1"),
      want: {
        reason: "NotAllowed",
        message:
          "OverridePolicy debug, rule 0: spec.nodeName must not be control-1 (not in the annotation federation.paas.cmft.com/allowed-node-names of namespace default)",
      },
    },
  ])("$what", ({ rule, want }) => {
    const policy = { kind: "OverridePolicy", namespace: "default", name: "debug" };
    expect(problem([tenants(rule)])).toMatchObject({ ...want, policy });
  });

  test("and names the rule that does it", () => {
    expect(problem([tenants(pods("hostUsers", true), pods("hostIPC", true))])?.message).toMatch(
      /^OverridePolicy debug, rule 1: spec.hostIPC/,
    );
  });

  test("at the level privileged everything but names and ports of the node", () => {
    const more = { terms: terms({ enforce: "privileged" }) };
    expect(problem([tenants(pods("hostPID", true))], more)).toBeUndefined();
    expect(problem([tenants(pods("nodeName", "control-1"))], more)?.reason).toBe("NotAllowed");
    expect(problem([tenants(pods("containers/0/ports/0/hostPort", 8080))], more)).toMatchObject({
      reason: "NotAllowed",
      message:
        "OverridePolicy debug, rule 0: spec.containers[nginx-demo].ports.hostPort must not be 8080 (not in the annotation federation.paas.cmft.com/allowed-host-ports of namespace default)",
    });
  });

  test("at the level restricted nothing that is not hardened, the object itself included", () => {
    expect(problem([], { terms: terms({ enforce: "restricted" }) })?.message).toMatch(
      /^DemoApplication nginx-demo: spec\.containers\[nginx-demo\]/,
    );
  });

  test("the object's own fields count", () => {
    const object = app({ livenessProbe: { tcpSocket: { port: 22, host: "10.0.0.1" } } });
    expect(problem([], { object })?.message).toBe(
      "DemoApplication nginx-demo: spec.containers[nginx-demo].livenessProbe.tcpSocket.host must not be set (level baseline)",
    );
  });

  test("what runs already is kept as it is", () => {
    const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
    const previous = { clusters: [{ name: "shanghai-1", state: "Available" as const, replicas }] };
    const target = targetOf({
      placements: [placement("p")],
      overrides: [tenants(pods("hostPID", true))],
      clusters: [shanghai],
      previous,
    });
    expect(target.clusters[0]).toMatchObject({ frozen: true, problem: { reason: "PodSecurity" } });
  });
});

describe("an administrator of the hub allows by annotation of the namespace", () => {
  test.each([
    { annotation: "allowed-service-accounts", value: "deployer, builder", rule: pods("serviceAccountName", "builder") },
    { annotation: "allowed-service-accounts", value: "*", rule: pods("serviceAccountName", "builder") },
    { annotation: "allowed-node-names", value: "edge-1", rule: pods("nodeName", "edge-1") },
    { annotation: "allowed-host-ports", value: "80,8000-8100", rule: pods("containers/0/ports/0/hostPort", 8080) },
  ])("$annotation: $value", ({ annotation, value, rule }) => {
    expect(problem([tenants(rule)])).toBeDefined();
    expect(problem([tenants(rule)], { terms: terms({}, { [annotation]: value }) })).toBeUndefined();
  });

  test("and nothing else by it", () => {
    const more = { terms: terms({}, { "allowed-host-ports": "8000-8100, x", "allowed-service-accounts": "builder" }) };
    expect(problem([tenants(pods("containers/0/ports/0/hostPort", 9000))], more)?.reason).toBe("NotAllowed");
    expect(problem([tenants(pods("serviceAccountName", "build"))], more)?.reason).toBe("NotAllowed");
  });
});

describe("what a ClusterOverridePolicy brings", () => {
  const agent = [pods("containers/-", PRIVILEGED), pods("volumes", [HOST_PATH])];

  test("is the administrators' decision", () => {
    expect(problem([administrators(...agent, pods("serviceAccountName", "agent"))])).toBeUndefined();
  });

  test("stays theirs when a tenant changes what his own container runs", () => {
    expect(
      problem([administrators(...agent), tenants({ image: { tag: "2" }, env: [{ name: "A", value: "b" }] })]),
    ).toBeUndefined();
  });

  test.each<{ what: string; rule: OverrideRule }>([
    { what: "what the administrators' container runs", rule: pods("containers/1/image", "mine:1") },
    { what: "what their container is told", rule: pods("containers/1/command", ["sh"]) },
    {
      what: "where their volume is mounted",
      rule: pods("containers/0/volumeMounts", [{ name: "node", mountPath: "/n" }]),
    },
    { what: "which files the volume has", rule: pods("volumes/0/hostPath/path", "/etc") },
    { what: "what else the pod has", rule: pods("initContainers", [{ name: "x", image: "x" }]) },
  ])("is no tenant's: $what", ({ rule }) => {
    expect(problem([administrators(...agent), tenants(rule)])?.message).toMatch(/^OverridePolicy debug, rule 0: /);
  });

  test("is not for a container that has named the volume in advance", () => {
    const object = app({ volumeMounts: [{ name: "node", mountPath: "/n" }] });
    expect(problem([administrators(...agent)], { object })?.message).toMatch(
      /^DemoApplication nginx-demo: spec\.volumes\[node\]\.hostPath/,
    );
  });

  test("does not cover what a tenant asks for beside it", () => {
    expect(problem([administrators(...agent), tenants(pods("hostPID", true))])?.message).toMatch(
      /^OverridePolicy debug, rule 0: spec.hostPID/,
    );
  });
});

describe("nothing goes to a member", () => {
  test("from a protected namespace", () => {
    expect(problem([], { terms: terms({}, {}, true) })).toEqual({
      reason: "ProtectedNamespace",
      message: "nothing is written into the namespace default of members; use another one",
    });
  });

  test.each(["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"])("of the type %s", (type) => {
    const object = app({ envFrom: [{ secretRef: { name: "stolen" } }] });
    const secret: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "stolen", namespace: "default" },
      type,
      data: { token: "dA==" },
    };
    const dependencies = new Map([["/Secret/default/stolen", secret]]);
    const target = targetOf({ object, placements: [placement("p")], clusters: [shanghai], dependencies });
    expect(target.clusters[0]?.problem).toEqual({
      reason: "NotAllowed",
      message: `Secret stolen holds a token (${type}) and is never sent to members`,
    });
    expect(JSON.stringify(target)).not.toContain("dA==");
  });
});

test("the labels of the namespace go with every row", () => {
  const target = targetOf({ placements: [placement("p")], terms: terms({ enforce: "baseline", warn: "restricted" }) });
  expect(target.namespaceLabels).toEqual({
    "pod-security.kubernetes.io/enforce": "baseline",
    "pod-security.kubernetes.io/warn": "restricted",
  });
});
