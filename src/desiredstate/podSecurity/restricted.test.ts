import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { evaluatePodSecurity } from "./evaluate.ts";

/** What the profile restricted asks for beyond the baseline, and what a refusal says. */

function refusals(spec: object, minor = Infinity): string[] {
  const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { ...spec } };
  return evaluatePodSecurity(pod, { level: "restricted", minor }).map(({ field, must }) => `${field} ${must}`);
}

const HARDENED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const secured = (securityContext: object, pod: object = {}): object => ({
  containers: [{ name: "web", securityContext }],
  ...pod,
});
const hardened = (security: object = {}, pod: object = {}): object => secured({ ...HARDENED, ...security }, pod);
const without = (field: keyof typeof HARDENED): object => {
  const { [field]: _, ...rest } = HARDENED;
  return rest;
};

const OF_WEB = "spec.containers[web].securityContext";
const ESCALATION = `${OF_WEB}.allowPrivilegeEscalation must be false`;
const DROP = `${OF_WEB}.capabilities.drop must name ALL`;
const NON_ROOT = `${OF_WEB}.runAsNonRoot must be true`;
const SECCOMP = `${OF_WEB}.seccompProfile must be RuntimeDefault or Localhost`;

test("a hardened pod is allowed", () => {
  expect(refusals(hardened())).toEqual([]);
  expect(refusals(hardened({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }))).toEqual([]);
});

test("a pod that says nothing is refused for all that it does not say", () => {
  expect(refusals({ containers: [{ name: "web" }] })).toEqual([NON_ROOT, ESCALATION, SECCOMP, DROP]);
});

describe("a refusal says which field must be what", () => {
  test.each<[spec: object, want: string[]]>([
    [hardened({ allowPrivilegeEscalation: true }), [ESCALATION]],
    [secured(without("allowPrivilegeEscalation")), [ESCALATION]],
    [hardened({ capabilities: { drop: ["CHOWN"] } }), [DROP]],
    [hardened({ capabilities: { drop: "ALL" } }), [DROP]],
    [
      hardened({ capabilities: { drop: ["ALL"], add: ["CHOWN", "NET_BIND_SERVICE"] } }),
      [`${OF_WEB}.capabilities.add must not name CHOWN`],
    ],
    [hardened({ runAsNonRoot: false }), [NON_ROOT]],
    [secured(without("runAsNonRoot")), [NON_ROOT]],
    [hardened({ runAsUser: 0 }), [`${OF_WEB}.runAsUser must not be 0`]],
    [
      hardened({}, { securityContext: { runAsUser: 0, runAsNonRoot: false } }),
      ["spec.securityContext.runAsNonRoot must be true", "spec.securityContext.runAsUser must not be 0"],
    ],
    [hardened({ runAsUser: 1000 }, { securityContext: { runAsUser: 7, runAsNonRoot: true } }), []],
    [secured(without("seccompProfile")), [SECCOMP]],
    [
      hardened({ seccompProfile: { type: "Unconfined" } }),
      [`${OF_WEB}.seccompProfile.type must be RuntimeDefault or Localhost`],
    ],
    [hardened({ procMount: "Unmasked" }), [`${OF_WEB}.procMount must be Default`]],
  ])("%j", (spec, want) => expect(refusals(spec)).toEqual(want));

  test("of each container, of whatever sort", () => {
    const containers = [{ name: "web", securityContext: HARDENED }];
    const spec = { containers, initContainers: [{}], ephemeralContainers: [{ name: "debug" }] };
    expect(refusals(spec).filter((text) => text.endsWith("must be false"))).toEqual([
      "spec.initContainers[0].securityContext.allowPrivilegeEscalation must be false",
      "spec.ephemeralContainers[debug].securityContext.allowPrivilegeEscalation must be false",
    ]);
  });
});

describe("what the pod says holds for a container that says nothing", () => {
  test("of users and of seccomp", () => {
    const pod = { securityContext: { runAsNonRoot: true, seccompProfile: { type: "Localhost" } } };
    expect(refusals(secured(without("runAsNonRoot"), pod))).toEqual([]);
    expect(refusals(secured(without("seccompProfile"), pod))).toEqual([]);
  });
});

describe("a volume", () => {
  const volume = (source: object): string[] => refusals(hardened({}, { volumes: [{ name: "v", ...source }] }));

  test.each([
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
  ])("of the sort %s is allowed", (kind) => expect(volume({ [kind]: {} })).toEqual([]));

  test.each(["nfs", "iscsi", "awsElasticBlockStore"])("of the sort %s is not", (kind) =>
    expect(volume({ [kind]: {} })).toEqual([`spec.volumes[v].${kind} must not be set`]),
  );

  test("of no sort is an empty one, and a field that is null is none", () => {
    expect(volume({})).toEqual([]);
    expect(volume({ nfs: null })).toEqual([]);
    expect(volume({ nfs: null, secret: {} })).toEqual([]);
    expect(volume({ aws: null, nfs: {} })).toEqual(["spec.volumes[v].nfs must not be set"]);
  });
});

describe("a pod with users of its own", () => {
  const own = { hostUsers: false, securityContext: { runAsUser: 0 } };

  test("may run as root since 1.35, and may not show all of proc", () => {
    expect(refusals(hardened({ runAsNonRoot: false }, own), 35)).toEqual([]);
    expect(refusals(hardened({ procMount: "Unmasked" }, own), 35)).toEqual([`${OF_WEB}.procMount must be Default`]);
  });

  test("may not before", () => {
    expect(refusals(hardened({ runAsNonRoot: false }, own), 34)).toEqual([
      NON_ROOT,
      "spec.securityContext.runAsUser must not be 0",
    ]);
  });
});

test.each<[what: string, spec: object, since: number, want: string]>([
  ["escalation", secured(without("allowPrivilegeEscalation")), 8, ESCALATION],
  ["seccomp", secured(without("seccompProfile")), 19, SECCOMP],
  ["capabilities", secured(without("capabilities")), 22, DROP],
  ["the user root", hardened({ runAsUser: 0 }), 23, `${OF_WEB}.runAsUser must not be 0`],
])("the standard asks about %s since a version, and not before", (_what, spec, since, want) => {
  expect(refusals(spec, since)).toEqual([want]);
  expect(refusals(spec, since - 1)).toEqual([]);
});

describe("a pod for Windows", () => {
  const windows = { os: { name: "windows" }, containers: [{ name: "web" }] };

  test("need not say what only Linux knows since 1.25", () => {
    expect(refusals(windows, 25)).toEqual([NON_ROOT]);
    expect(refusals(windows, 24)).toEqual([NON_ROOT, ESCALATION, SECCOMP, DROP]);
    expect(refusals({ ...windows, os: { name: "linux" } }, 25)).toHaveLength(4);
  });
});
