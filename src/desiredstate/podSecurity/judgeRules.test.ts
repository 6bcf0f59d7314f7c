import { describe, expect, test } from "vitest";
import { inFull, type KubeObject } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import { judgeRendering } from "./judge.ts";
import { defaultTerms, namespaceTerms, type NamespaceTerms } from "./terms.ts";

/** Who is to blame for a pod that has too much: of states that rules have made one after the other. */

const rule = (namespace: string | undefined, index: number): MatchedRule => ({
  policy:
    namespace === undefined
      ? { kind: "ClusterOverridePolicy", name: "agents" }
      : { kind: "OverridePolicy", namespace, name: "debug" },
  index,
  rule: {},
});
const admin = (index = 0): MatchedRule => rule(undefined, index);
const tenant = (index = 0): MatchedRule => rule("shop", index);

const pod = (spec: object, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", annotations },
  spec: { ...spec },
});
const config: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
const web = { name: "web", image: "a:1" };
const plain = pod({ containers: [web] });
const agent = { name: "agent", image: "agent:1", securityContext: { privileged: true } };
const withAgent = (own: object = web, more: object = {}): KubeObject => pod({ containers: [own, agent], ...more });
const hostPid = (more: object = {}): KubeObject => pod({ hostPID: true, containers: [web], ...more });

/** The first state is what the object alone becomes; each rule makes the next. */
function judged(
  rules: MatchedRule[],
  states: readonly (KubeObject | KubeObject[])[],
  terms: NamespaceTerms = defaultTerms("shop"),
) {
  const at = (count: number): KubeObject[] => [states[count] ?? []].flat();
  const found = judgeRendering({ base: at(0), rules, after: at }, "DemoApplication shop", terms);
  return found && inFull(found);
}
const blamed = (...given: Parameters<typeof judged>): string | undefined => judged(...given)?.message.split(": ")[0];

describe("nobody is to blame", () => {
  test("where no pod has too much, or no more in the end", () => {
    expect(judged([], [plain])).toBeUndefined();
    expect(judged([tenant()], [hostPid(), plain])).toBeUndefined();
    expect(judged([tenant()], [config, config])).toBeUndefined();
  });

  test("for what the administrators brought and nobody changed since", () => {
    expect(judged([admin()], [plain, withAgent()])).toBeUndefined();
    expect(judged([admin(0), admin(1)], [plain, plain, withAgent()])).toBeUndefined();
    expect(judged([admin(), tenant()], [plain, withAgent(), withAgent()])).toBeUndefined();
  });

  test.each(["image", "command", "args", "env", "envFrom", "resources", "imagePullPolicy"])(
    "for the %s of the tenant's own container",
    (field) => {
      const changed = withAgent({ ...web, [field]: "x" });
      expect(judged([admin(), tenant()], [plain, withAgent(), changed])).toBeUndefined();
    },
  );

  test("for the own containers before the others, either", () => {
    const states = (image: string): KubeObject =>
      pod({ initContainers: [{ name: "init", image }], containers: [web, agent] });
    const base = pod({ initContainers: [{ name: "init", image: "a" }], containers: [web] });
    expect(judged([admin(), tenant()], [base, states("a"), states("b")])).toBeUndefined();
  });

  test("for what becomes of objects that make no pods", () => {
    const other = { ...config, data: { a: "1" } };
    expect(
      judged(
        [admin(), tenant()],
        [
          [plain, config],
          [withAgent(), config],
          [withAgent(), other],
        ],
      ),
    ).toBeUndefined();
  });
});

describe("to blame is", () => {
  test("the object itself, by its name and without a policy", () => {
    expect(judged([admin(), tenant()], [hostPid(), hostPid(), hostPid()])).toMatchObject({
      reason: "PodSecurity",
      message: "DemoApplication shop: spec.hostPID must not be true (level baseline)",
    });
  });

  test("the first rule of a tenant with which it is there", () => {
    expect(judged([admin(), tenant(3), tenant(4)], [plain, plain, hostPid(), hostPid()])).toMatchObject({
      reason: "PodSecurity",
      message: "OverridePolicy debug, rule 3: spec.hostPID must not be true (level baseline)",
      policy: { kind: "OverridePolicy", namespace: "shop", name: "debug" },
    });
    expect(blamed([tenant(3), tenant(4)], [plain, plain, hostPid()])).toBe("OverridePolicy debug, rule 4");
  });

  test("a tenant who makes another violation of one that was there", () => {
    const port = (hostPort: number): KubeObject => pod({ containers: [{ ...web, ports: [{ hostPort }] }] });
    expect(judged([admin(), tenant(2)], [plain, port(80), port(81)])?.message).toBe(
      "OverridePolicy debug, rule 2: spec.containers[web].ports.hostPort must not be 81 (not in the annotation federation.paas.cmft.com/allowed-host-ports of namespace shop)",
    );
  });

  test("a tenant who moves one to another object", () => {
    expect(
      blamed(
        [admin(), tenant(2)],
        [
          [plain, plain],
          [hostPid(), plain],
          [plain, hostPid()],
        ],
      ),
    ).toBe("OverridePolicy debug, rule 2");
  });

  test.each<[what: string, changed: KubeObject]>([
    ["the image of the administrators' container", pod({ containers: [web, { ...agent, image: "mine:1" }] })],
    ["a mount of his own container", withAgent({ ...web, volumeMounts: [{ name: "v", mountPath: "/" }] })],
    ["the name of his own container", withAgent({ ...web, name: "agent2" })],
    ["another field of the pod", withAgent(web, { restartPolicy: "Never" })],
    ["containers of another sort", withAgent(web, { initContainers: [web] })],
    ["annotations of the pod", { ...withAgent(), metadata: { name: "web", annotations: { a: "1" } } }],
    ["what is no list of containers", withAgent(web, { initContainers: "none" })],
  ])("a tenant who changes, beside what the administrators brought, %s", (_what, changed) => {
    expect(judged([admin(), tenant(5)], [plain, withAgent(), changed])).toMatchObject({
      message: expect.stringMatching(
        /^OverridePolicy debug, rule 5: spec\.containers\[agent\]\.securityContext\.privileged must not be true/,
      ),
      policy: { name: "debug" },
    });
  });

  test("of several tenants' rules the first that changes something", () => {
    const states = [plain, withAgent(), withAgent(), withAgent(web, { restartPolicy: "Never" })];
    expect(blamed([admin(), tenant(5), tenant(6)], states)).toBe("OverridePolicy debug, rule 6");
    expect(blamed([admin(), tenant(5), tenant(6)], [...states.slice(0, 2), states[3] ?? plain, withAgent()])).toBe(
      "OverridePolicy debug, rule 5",
    );
  });
});

describe("a volume of the administrators", () => {
  const volume = { volumes: [{ name: "node", hostPath: { path: "/" } }] };
  const given = (container: object, field = "containers"): string | undefined => {
    const base = { containers: [web], [field]: [container] };
    return blamed([admin()], [pod(base), pod({ ...base, ...volume })]);
  };

  test.each([
    ["containers", "volumeMounts"],
    ["containers", "volumeDevices"],
    ["initContainers", "volumeMounts"],
  ])("is not for one of the %s that had named it in its %s", (field, mounts) => {
    expect(given({ name: "web", [mounts]: [{ name: "node" }] }, field)).toBe("DemoApplication shop");
    expect(given({ name: "web", [mounts]: [{ name: "other" }, { name: "node" }] }, field)).toBe("DemoApplication shop");
    expect(given({ name: "web", [mounts]: [{ name: "other" }] }, field)).toBeUndefined();
  });

  test("is for those of an administrator, and for an object that is new", () => {
    expect(given(web)).toBeUndefined();
    expect(judged([admin()], [[], pod({ containers: [], ...volume })])).toBeUndefined();
    expect(judged([admin()], [config, pod({ containers: [], ...volume })])).toBeUndefined();
  });

  test("that a tenant names later is a change of the pod", () => {
    const named = pod({ containers: [{ ...web, volumeMounts: [{ name: "node" }] }], ...volume });
    expect(blamed([admin(), tenant(1)], [plain, pod({ containers: [web], ...volume }), named])).toBe(
      "OverridePolicy debug, rule 1",
    );
  });
});

describe("the terms that count", () => {
  test("are those of the object, where they differ from object to object", () => {
    const strict = namespaceTerms({ name: "bank" }, false);
    const lax = namespaceTerms({ name: "shop", labels: { "pod-security.kubernetes.io/enforce": "privileged" } }, false);
    const terms = { ...lax, of: ({ metadata }: KubeObject) => (metadata.name === "web" ? strict : lax) };
    expect(judged([], [hostPid()], terms)?.reason).toBe("PodSecurity");
    const other = { ...hostPid(), metadata: { name: "other" } };
    expect(judged([], [other], terms)).toBeUndefined();
    expect(judged([], [hostPid()], lax)).toBeUndefined();
  });

  test("are those of a bundle's objects: the refusal names the object too", () => {
    const terms = { ...defaultTerms("shop"), of: () => defaultTerms("shop") };
    expect(judged([], [[plain, { ...hostPid(), metadata: { name: "op" } }]], terms)?.message).toBe(
      "DemoApplication shop, Pod op: spec.hostPID must not be true (level baseline)",
    );
    expect(judged([tenant(1)], [plain, hostPid()], terms)?.message).toBe(
      "OverridePolicy debug, rule 1, Pod web: spec.hostPID must not be true (level baseline)",
    );
  });

  test("grant ports of the node by their numbers, and name the namespace that allows no name", () => {
    const terms = namespaceTerms(
      { name: "shop", annotations: { "federation.paas.cmft.com/allowed-host-ports": "80" } },
      false,
    );
    const port = (hostPort: number): KubeObject => pod({ containers: [{ ...web, ports: [{ hostPort }] }] });
    expect([judged([], [port(80)], terms), judged([], [port(81)], terms)?.reason]).toEqual([undefined, "NotAllowed"]);
    expect(judged([], [pod({ nodeName: "n1", containers: [] })], terms)).toMatchObject({
      reason: "NotAllowed",
      message:
        "DemoApplication shop: spec.nodeName must not be n1 (not in the annotation federation.paas.cmft.com/allowed-node-names of namespace shop)",
    });
  });
});

describe("a refusal of what an annotation allows", () => {
  const said = (annotation: string, value: string, spec: object, by?: string): string | undefined => {
    const annotations = { [`federation.paas.cmft.com/${annotation}`]: value };
    const terms = namespaceTerms({ name: "al", annotations }, false);
    const debug = tenant();
    const named = by === undefined ? [] : [{ ...debug, policy: { ...debug.policy, name: by } }];
    return judged(named, by === undefined ? [pod(spec)] : [plain, pod(spec)], terms)?.message;
  };
  const port = { containers: [{ ...web, ports: [{ hostPort: 9011 }] }] };
  const account = { serviceAccountName: "build1" };

  test.each<[string, string | undefined]>([
    [
      "spec.serviceAccountName must not be build1 (not in the annotation federation.paas.cmft.com/allowed-service-accounts of namespace al)",
      said("allowed-service-accounts", "", account),
    ],
    [
      "spec.serviceAccountName must not be build1 (not in the annotation federation.paas.cmft.com/allowed-service-accounts of namespace al: build* is no name)",
      said("allowed-service-accounts", "build*", account),
    ],
    [
      "spec.nodeName must not be n1 (not in the annotation federation.paas.cmft.com/allowed-node-names of namespace al: N*, - are no names)",
      said("allowed-node-names", "N*, edge-1.a, -", { nodeName: "n1" }),
    ],
    [
      "spec.containers[web].ports.hostPort must not be 9011 (not in the annotation federation.paas.cmft.com/allowed-host-ports of namespace al)",
      said("allowed-host-ports", "80,9000-9010", port),
    ],
    [
      "spec.containers[web].ports.hostPort must not be 9011 (not in the annotation federation.paas.cmft.com/allowed-host-ports of namespace al: abc is no port)",
      said("allowed-host-ports", "abc", port),
    ],
    [
      "spec.containers[web].ports.hostPort must not be 9011 (not in the annotation federation.paas.cmft.com/allowed-host-ports of namespace al: abc, 9020-9000, 0 are no ports)",
      said("allowed-host-ports", "abc, 9020-9000, 0, 1", port),
    ],
  ])("says %j", (words, message) => {
    const whole = `DemoApplication shop: ${words}`;
    expect(message).toBe(whole);
  });
});
