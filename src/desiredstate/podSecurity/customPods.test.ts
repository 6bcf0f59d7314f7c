import { describe, expect, test } from "vitest";
import { fullMessage, type KubeObject } from "../../apis/index.ts";
import { specsIn } from "./customPods.ts";
import { evaluatePodSecurity } from "./evaluate.ts";
import { judgeRendering } from "./judge.ts";
import { defaultTerms, namespaceTerms, type NamespaceTerms } from "./terms.ts";

const custom = (spec: object, more: object = {}): KubeObject => ({
  apiVersion: "batch.example.com/v1",
  kind: "Training",
  metadata: { name: "t", namespace: "shop" },
  spec,
  ...more,
});
const refusal = (object: KubeObject, terms: NamespaceTerms = defaultTerms("shop")): string | undefined => {
  const problem = judgeRendering({ base: [object], rules: [], after: () => [object] }, "Training t", terms);
  return problem && fullMessage(problem.message).replace(/^Training t: (.*) \(.*\)$/, "$1");
};

const rooted = { securityContext: { privileged: true } };
const web = { name: "web", image: "a:1" };
const node = { volumes: [{ name: "n", hostPath: { path: "/" } }] };
const hardened = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
  capabilities: { drop: ["ALL"] },
};

describe("pods in a custom resource are judged wherever they are:", () => {
  test.each<[what: string, spec: object, says: string]>([
    ["a template", { template: { spec: { hostPID: true } } }, "spec.hostPID must not be true"],
    [
      "a template in a list",
      { workerGroupSpecs: [{}, { template: { spec: { containers: [{ ...web, ...rooted }] } } }] },
      "spec.workerGroupSpecs[1].template.spec.containers[web].securityContext.privileged must not be true",
    ],
    [
      "a pod deep inside",
      { deep: { list: [[{ pod: { spec: { containers: [web], ...node } } }]] } },
      "spec.deep.list[0][0].pod.spec.volumes[n].hostPath must not be set",
    ],
    ["volumes alone", { storage: node }, "spec.storage.volumes[n].hostPath must not be set"],
    [
      "volumes under another name",
      { extraVolumes: [{ name: "v", hostPath: { path: "/" } }] },
      "spec.extraVolumes[0].hostPath must not be set",
    ],
    [
      "one volume",
      { storage: { volume: { hostPath: { path: "/", type: "Directory" } } } },
      "spec.storage.volume.hostPath must not be set",
    ],
    [
      "a security context without a container",
      { containerSecurityContext: { privileged: true } },
      "spec.containerSecurityContext.privileged must not be true",
    ],
    ["the network of the node", { hostNetwork: true }, "spec.hostNetwork must not be true"],
    [
      "a container by itself",
      { templates: [{ name: "main", container: { image: "a:1", ...rooted } }] },
      "spec.templates[0].container.securityContext.privileged must not be true",
    ],
    [
      "containers under another name",
      { steps: [web, { name: "build", image: "a:1", ...rooted }] },
      "spec.steps[build].securityContext.privileged must not be true",
    ],
    ["the spec as a container", { image: "a:1", ...rooted }, "spec.securityContext.privileged must not be true"],
    [
      "annotations of a template",
      {
        jobTemplate: {
          metadata: { annotations: { "container.apparmor.security.beta.kubernetes.io/web": "unconfined" } },
          spec: { containers: [web] },
        },
      },
      "spec.jobTemplate.metadata.annotations[container.apparmor.security.beta.kubernetes.io/web] must be runtime/default or localhost/…",
    ],
  ])("%s", (_, spec, says) => expect(refusal(custom(spec))).toBe(says));

  test("fields beside the spec, and no fields of the metadata", () => {
    expect(refusal(custom({}, { containers: [{ ...web, ...rooted }] }))).toBe(
      "containers[web].securityContext.privileged must not be true",
    );
    const { metadata, ...rest } = custom({});
    expect(
      refusal({ ...rest, metadata: { ...metadata, hostNetwork: true } as KubeObject["metadata"] }),
    ).toBeUndefined();
  });
});

describe("what only looks like a pod is none:", () => {
  test.each<[what: string, object: KubeObject]>([
    ["an account beside containers that is an object", custom({ containers: [web], serviceAccount: { create: true } })],
    ["a name of an account without a pod", custom({ serviceAccountName: "admin" })],
    ["containers that are counted", custom({ containers: [3, { cpu: "1" }], hostNetwork: "Bridge" })],
    [
      "a path of that name that is none of the node",
      custom({ hostPath: "/a", routes: [{ hostPath: { prefix: "/" } }] }),
    ],
    ["what is privileged elsewhere", custom({ access: { privileged: true }, securityContext: { privileged: false } })],
    ["the schema of a definition", { ...custom(node), apiVersion: "apiextensions.k8s.io/v1" }],
    [
      "fields of a Deployment beside its pods",
      { ...custom({ hostNetwork: true, other: node }), apiVersion: "apps/v1" },
    ],
    ["data", { ...custom({}), apiVersion: "v1", kind: "ConfigMap", data: { containers: [{ ...web, ...rooted }] } }],
  ])("%s", (_, object) => expect(refusal(object)).toBeUndefined());

  test("of an object without a namespace, which no tenant writes", () => {
    const terms = defaultTerms("");
    expect(refusal(custom({ pattern: { spec: { containers: [{ name: "*", ...rooted }] } } }), terms)).toBeUndefined();
    expect(refusal(custom({ template: { spec: { hostPID: true } } }), terms)).toBe("spec.hostPID must not be true");
  });
});

test("what reaches the node is told once, where a pod has it", () => {
  const windows = { windowsOptions: { hostProcess: true } };
  const pod = {
    ...node,
    securityContext: windows,
    containers: [{ ...web, securityContext: { privileged: true, ...windows } }],
    sidecar: { ...web, ...rooted },
  };
  const { security } = defaultTerms("shop");
  expect(evaluatePodSecurity(custom({ pod }), security).map(({ at, field }) => `${at}: ${field}`)).toEqual([
    "spec.pod: spec.containers[web].securityContext.privileged",
    "spec.pod: spec.sidecar.securityContext.privileged",
    "spec.pod: spec.volumes[n].hostPath",
    "spec.pod: spec.securityContext.windowsOptions.hostProcess",
    "spec.pod: spec.containers[web].securityContext.windowsOptions.hostProcess",
  ]);
});

test("an account beside what reaches the node is none where no pod is", () => {
  const storage = { serviceAccountName: "admin", nodeName: "n1", hostPath: { path: "/" } };
  const labels = { "pod-security.kubernetes.io/enforce": "privileged" };
  expect(refusal(custom({ storage }), namespaceTerms({ name: "shop", labels }, false))).toBeUndefined();
});

describe("at the level restricted", () => {
  const restricted = namespaceTerms(
    { name: "shop", labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    false,
  );

  test("what is whole has to be hardened, what an operator completes has not to be", () => {
    const group = (container: object) => custom({ groups: [{ template: { spec: { containers: [container] } } }] });
    expect(refusal(custom({ pods: { containers: [web] } }), restricted)).toContain("runAsNonRoot must be true");
    expect(refusal(group(web), restricted)).toContain("runAsNonRoot must be true");
    expect(refusal(group({ ...web, securityContext: hardened }), restricted)).toBeUndefined();
    expect(refusal(custom({ containers: [{ name: "web" }] }), restricted)).toBeUndefined();
    expect(refusal(custom({ image: "a:1", securityContext: { runAsUser: 999 } }), restricted)).toBeUndefined();
    expect(refusal(custom({ image: "a:1", securityContext: { runAsUser: 0 } }), restricted)).toBe(
      "spec.securityContext.runAsUser must not be 0",
    );
  });
});

describe("who is to blame", () => {
  const admin = { policy: { kind: "ClusterOverridePolicy", name: "agents" }, index: 0, rule: {} } as const;
  const tenant = { policy: { kind: "OverridePolicy", namespace: "shop", name: "debug" }, index: 0, rule: {} } as const;
  const group = (container: object, more: object = {}) =>
    custom({ group: { template: { spec: { containers: [container], ...more } } } });
  const blamed = (...states: KubeObject[]): string | undefined => {
    const after = (count: number): KubeObject[] => states.slice(count, count + 1);
    const rules = states.length === 3 ? [admin, tenant] : [admin];
    const problem = judgeRendering({ base: after(0), rules, after }, "Training t", defaultTerms("shop"));
    return problem && fullMessage(problem.message).split(":")[0];
  };

  test("is whoever names their volume before, or changes the pod after", () => {
    const mounting = { ...web, volumeMounts: [{ name: "n", mountPath: "/n" }] };
    expect(blamed(group(mounting), group(mounting, node))).toBe("Training t");
    expect(blamed(group(web), group(web, node), group(mounting, node))).toBe("OverridePolicy debug, rule 0");
    const mounts = { volumeMounts: [{ name: "n", mountPath: "/n" }] };
    const bare = custom({ templates: [{ container: { image: "a:1", ...mounts } }] });
    const given = custom({ templates: [{ container: { image: "a:1", ...mounts } }], ...node });
    expect(blamed(bare, given)).toBe("Training t");
  });
});

test("a large object is looked through once, and a deep one to its end", () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ name: `item-${index}`, labels: { a: "b" }, on: [1] }));
  const large = custom({ items });
  expect(specsIn(large)).toEqual([]);
  expect(specsIn(large)).toBe(specsIn(large));
  let deep: object = { hostNetwork: true };
  for (let level = 0; level < 20_000; level += 1) deep = { x: deep };
  expect(evaluatePodSecurity(custom(deep), { level: "baseline", minor: Infinity })).toHaveLength(1);
});
