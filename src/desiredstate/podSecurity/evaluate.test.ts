import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { POD_CASES } from "../../../test/builders/podCases.ts";
import { evaluatePodSecurity } from "./evaluate.ts";
import { podSecurityLevel } from "./level.ts";

const deployment = (spec: object, annotations?: object): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { template: { metadata: { annotations }, spec } },
});
const at = (level: "baseline" | "restricted" | "privileged", minor = Infinity) => ({ level, minor });
const fields = (object: KubeObject, level: ReturnType<typeof at>): string[] =>
  evaluatePodSecurity(object, level).map(({ field }) => field);

describe("a pod with", () => {
  test.each(POD_CASES)("$name", ({ spec, annotations, refusedAt, field }) => {
    const object = deployment(spec, annotations);
    expect(fields(object, at("privileged"))).toEqual([]);
    expect(fields(object, at("baseline"))).toEqual(refusedAt === "baseline" ? expect.arrayContaining([field]) : []);
    expect(fields(object, at("restricted"))).toEqual(refusedAt === undefined ? [] : expect.arrayContaining([field]));
  });
});

describe("earlier versions of the standard", () => {
  const probed = { containers: [{ name: "web", livenessProbe: { tcpSocket: { port: 1, host: "a" } } }] };
  const sysctl = (name: string) => ({ securityContext: { sysctls: [{ name }] }, containers: [] });
  const ownUsers = { hostUsers: false, containers: [{ name: "web", securityContext: { procMount: "Unmasked" } }] };

  test.each([
    { what: "did not know of hosts of probes", spec: probed, refused: 34, allowed: 33 },
    { what: "allowed fewer sysctls", spec: sysctl("net.ipv4.tcp_wmem"), refused: 31, allowed: 32 },
    { what: "had no regard for users of its own", spec: ownUsers, refused: 34, allowed: 35 },
  ])("$what", ({ spec, refused, allowed }) => {
    expect(fields(deployment(spec), at("baseline", allowed))).toEqual([]);
    expect(fields(deployment(spec), at("baseline", refused))).toHaveLength(1);
  });

  test("asked of Windows what only Linux knows", () => {
    const windows = {
      os: { name: "windows" },
      containers: [{ name: "web", securityContext: { runAsNonRoot: true } }],
    };
    expect(fields(deployment(windows), at("restricted", 24))).toHaveLength(3);
    expect(fields(deployment(windows), at("restricted", 25))).toEqual([]);
  });
});

describe("pods are found", () => {
  const spec = { hostPID: true, containers: [] };

  test.each<{ kind: string; object: KubeObject }>([
    { kind: "a Pod", object: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec } },
    {
      kind: "a CronJob",
      object: {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "a" },
        spec: { jobTemplate: { spec: { template: { spec } } } },
      },
    },
    {
      kind: "a workload of another group",
      object: { apiVersion: "argoproj.io/v1", kind: "Rollout", metadata: { name: "a" }, spec: { template: { spec } } },
    },
  ])("in $kind", ({ object }) => expect(fields(object, at("baseline"))).toEqual(["spec.hostPID"]));

  test("in nothing that makes none", () => {
    expect(fields({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }, at("restricted"))).toEqual([]);
  });

  test.prop([fc.jsonValue()])("whatever somebody has made of them", (value) => {
    const pods = { containers: value, volumes: value, securityContext: value };
    for (const object of [deployment(value as object), deployment(pods)])
      for (const minor of [3, Infinity])
        expect(() => evaluatePodSecurity(object, at("restricted", minor))).not.toThrow();
  });
});

describe("the level of a namespace", () => {
  test.each([
    { labels: undefined, want: at("baseline") },
    { labels: { "pod-security.kubernetes.io/enforce": "privileged" }, want: at("privileged") },
    { labels: { "pod-security.kubernetes.io/enforce": "nonsense" }, want: at("restricted") },
    {
      labels: {
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/enforce-version": "v1.30",
      },
      want: at("restricted", 30),
    },
    { labels: { "pod-security.kubernetes.io/enforce-version": "latest" }, want: at("baseline") },
    { labels: { "pod-security.kubernetes.io/warn": "restricted" }, want: at("baseline") },
  ])("$labels", ({ labels, want }) => expect(podSecurityLevel(labels)).toEqual(want));
});
