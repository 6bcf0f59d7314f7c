import { describe, expect, test } from "vitest";
import {
  conditionMessage,
  type KubeObject,
  type OverrideRule,
  type PatchOperation,
  prefixed,
} from "../../apis/index.ts";
import { applyRules } from "../../override/index.ts";
import { judgeRendering, type NamespaceTerms } from "../podSecurity/index.ts";
import type { Problem } from "../types.ts";
import { problemOf } from "./variants.ts";

/** What Meridian itself says is never cut, however long the names of policies and clusters are: only what servers say is. */

const CLUSTER = "c".repeat(40);
const POLICY = { kind: "OverridePolicy", namespace: "default", name: "p".repeat(40) };

function deployment(spec: object, annotations: object = {}): KubeObject {
  const template = { metadata: { labels: { app: "shop" }, annotations }, spec };
  const metadata = { name: "shop", namespace: "default" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { replicas: 1, selector: { matchLabels: { app: "shop" } }, template },
  };
}

const NAME = "n".repeat(63);
const SANE = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};
const pod = (spec: object, annotations?: object): KubeObject =>
  deployment({ containers: [{ name: NAME, image: "a", securityContext: SANE }], ...spec }, annotations);
const secured = (security: object): KubeObject =>
  pod({ containers: [{ name: NAME, image: "a", securityContext: { ...SANE, ...security } }] });
const container = (fields: object): KubeObject =>
  pod({ containers: [{ name: NAME, image: "a", securityContext: SANE, ...fields }] });

/** The end of what is wrong, which has to be read. */
const INSECURE: readonly [string, KubeObject, RegExp][] = [
  ["a namespace of the node", pod({ hostNetwork: true }), /hostNetwork must not be true/],
  ["a privileged container", secured({ privileged: true }), /privileged must not be true/],
  ["a host process", secured({ windowsOptions: { hostProcess: true } }), /hostProcess must not be true/],
  ["a capability", secured({ capabilities: { drop: ["ALL"], add: ["X".repeat(80)] } }), /add must not name X{3}/],
  ["a path of the node", pod({ volumes: [{ name: NAME, hostPath: {} }] }), /hostPath must not be set/],
  ["a port of the node", container({ ports: [{ hostPort: 65535 }] }), /hostPort must not be 65535/],
  [
    "AppArmor",
    secured({ appArmorProfile: { type: "Unconfined" } }),
    /Profile.type must be RuntimeDefault or Localhost/,
  ],
  [
    "AppArmor by annotation",
    pod({}, { [`container.apparmor.security.beta.kubernetes.io/${NAME}`]: "unconfined" }),
    /annotations\S* must be runtime\/default or/,
  ],
  ["SELinux", secured({ seLinuxOptions: { type: "spc_t" } }), /Options.type must be one for containers/],
  ["a user of SELinux", secured({ seLinuxOptions: { user: "u" } }), /user must not be set/],
  ["a mount of /proc", secured({ procMount: "Unmasked" }), /procMount must be Default/],
  ["seccomp", secured({ seccompProfile: { type: "Unconfined" } }), /Profile.type must be RuntimeDefault or Localhost/],
  ["no seccomp", secured({ seccompProfile: null }), /seccompProfile must be RuntimeDefault or Localhost/],
  ["a sysctl", pod({ securityContext: { sysctls: [{ name: "s".repeat(80) }] } }), /sysctls must not name sss/],
  ["a probe of a host", container({ livenessProbe: { httpGet: { host: "h" } } }), /httpGet.host must not be set/],
  ["a volume", pod({ volumes: [{ name: NAME, nfs: {} }] }), /nfs must not be set/],
  ["escalation", secured({ allowPrivilegeEscalation: true }), /allowPrivilegeEscalation must be false/],
  ["capabilities kept", secured({ capabilities: {} }), /drop must name ALL/],
  ["root", secured({ runAsNonRoot: false }), /runAsNonRoot must be true/],
  ["the user 0", secured({ runAsUser: 0 }), /runAsUser must not be 0/],
  ["an account", pod({ serviceAccountName: "a".repeat(80) }), /serviceAccountName must not be aaa/],
  ["a node", pod({ nodeName: "a".repeat(80) }), /nodeName must not be aaa/],
];

const TERMS: NamespaceTerms = {
  namespace: "n".repeat(63),
  security: { level: "restricted", minor: 34 },
  allowsServiceAccount: () => false,
  allowsNodeName: () => false,
  allowsHostPort: () => false,
  unusable: () => [],
  isProtected: false,
  allowsBundleKind: () => false,
  allowsBundleNamespace: () => false,
  allowsBundleInProtected: () => false,
  protects: () => false,
  elsewhere: () => TERMS,
};

function judged(object: KubeObject): Problem | undefined {
  const rules = [{ policy: POLICY, index: 10, rule: {} }];
  const base = [secured({})];
  return judgeRendering(
    { base, rules, after: (count) => (count === 0 ? base : [object]) },
    "DemoApplication shop",
    TERMS,
  );
}

const patch = (operation: Omit<PatchOperation, "kind">): OverrideRule => ({
  patches: [{ kind: "Deployment", ...operation } as PatchOperation],
});
const DEEP = `/spec/template/spec/containers/0/resources/${"d".repeat(40)}/last`;

const WRONG: readonly [string, OverrideRule, RegExp][] = [
  ["a path that is not there", patch({ op: "replace", path: DEEP, value: 1 }), /does not exist$/],
  [
    "a test that fails",
    patch({ op: "test", path: "/spec/template/spec/containers/0/image", value: 1 }),
    /another value$/,
  ],
  [
    "what is protected",
    patch({ op: "replace", path: "/metadata/name", value: "x" }),
    /may not change \/metadata\/name$/,
  ],
  [
    "the label of the selector",
    patch({ op: "remove", path: "/spec/template/metadata/labels/app" }),
    /which the selector asks for$/,
  ],
  ["a registry in the repository", { image: { repository: `a.b/${"r".repeat(90)}` } }, /begins with a registry/],
];

function overridden(rule: OverrideRule): Problem | undefined {
  const { problem } = applyRules([secured({})], [{ policy: POLICY, index: 10, rule }]);
  return problemOf(problem, undefined);
}

describe("beside a cluster and a policy with long names is read to its end what is wrong with", () => {
  const cases: [string, Problem | undefined, RegExp][] = [
    ...INSECURE.map(([what, object, end]): [string, Problem | undefined, RegExp] => [what, judged(object), end]),
    ...WRONG.map(([what, rule, end]): [string, Problem | undefined, RegExp] => [what, overridden(rule), end]),
  ];
  test.each(cases)("%s", (_, problem, end) => {
    if (problem === undefined) throw new Error("nothing is wrong");
    expect(conditionMessage(problem.message)).toMatch(end);
    expect(conditionMessage(prefixed(`${CLUSTER}: `, problem.message))).toMatch(end);
  });
});
