import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ungrantedNames } from "./granted.ts";
import { podSecurityLevel } from "./level.ts";
import { defaultTerms, namespaceTerms, termsText } from "./terms.ts";

const FEDERATION = "federation.paas.cmft.com";
const terms = (annotations: Record<string, string> = {}) =>
  namespaceTerms(
    {
      name: "shop",
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`${FEDERATION}/${key}`, value]),
      ),
    },
    false,
  );

describe("what an annotation of the namespace allows", () => {
  test.each([
    ["a, b", ["a", "b"]],
    [" a ,, ", ["a"]],
    ["", []],
    ["a b", []],
  ])("%j allows %j", (value, want) => {
    const { allowsServiceAccount, allowsNodeName, allowsBundleKind, allowsBundleNamespace } = terms({
      "allowed-service-accounts": value,
      "allowed-node-names": value,
      "allowed-bundle-kinds": value,
      "allowed-bundle-namespaces": value,
    });
    for (const allows of [allowsServiceAccount, allowsNodeName, allowsBundleKind, allowsBundleNamespace])
      expect(["", "a", "b", "c"].filter((name) => allows(name))).toEqual(want);
  });

  test.each([
    ["allowed-service-accounts", "allowsServiceAccount"],
    ["allowed-node-names", "allowsNodeName"],
    ["allowed-bundle-kinds", "allowsBundleKind"],
    ["allowed-bundle-namespaces", "allowsBundleNamespace"],
  ] as const)("%s allows just that, and an asterisk anything", (annotation, allows) => {
    const all = ["allowsServiceAccount", "allowsNodeName", "allowsBundleKind", "allowsBundleNamespace"] as const;
    const of = terms({ [annotation]: "*" });
    expect(all.filter((one) => of[one]("anything"))).toEqual([allows]);
    expect(all.filter((one) => defaultTerms("shop")[one]("anything"))).toEqual([]);
  });

  const PORTS = [0, 1, 79, 80, 81, 443, 8000, 8050, 8100, 8101, 65_535, 65_536];
  test.each<[string, number[]]>([
    ["80", [80]],
    ["80,443", [80, 443]],
    ["8000-8100", [8000, 8050, 8100]],
    ["*", [1, 79, 80, 81, 443, 8000, 8050, 8100, 8101, 65_535]],
    ["8100-8000", []],
    ["x80", []],
    ["80x", []],
    ["80-", []],
    ["80-81-8000", []],
    ["080", [80]],
    ["000080", []],
    ["", []],
  ])("of the ports %j these: %j", (value, want) => {
    const { allowsHostPort } = terms({ "allowed-host-ports": value });
    expect(PORTS.filter((port) => allowsHostPort(port))).toEqual(want);
  });
});

describe("the terms of a namespace", () => {
  const enforce = { "pod-security.kubernetes.io/enforce": "restricted" };

  test("name it, its level and the labels that it hands on", () => {
    expect(namespaceTerms({ name: "shop", labels: { ...enforce, team: "web" } }, true)).toMatchObject({
      namespace: "shop",
      isProtected: true,
      security: { level: "restricted", minor: Infinity },
      labels: enforce,
    });
    expect(namespaceTerms({ name: "shop", labels: { team: "web" } }, false)).not.toHaveProperty("labels");
  });

  test("protect what the system protects, or what they are told to", () => {
    const { protects } = defaultTerms("shop");
    expect([protects("kube-system"), protects("shop")]).toEqual([true, false]);
    const told = namespaceTerms({ name: "shop" }, false, { protects: (name) => name === "bank" });
    expect([told.protects("bank"), told.protects("kube-system")]).toEqual([true, false]);
  });

  test.each([
    "allowed-service-accounts",
    "allowed-node-names",
    "allowed-host-ports",
    "allowed-bundle-kinds",
    "allowed-bundle-namespaces",
  ])("change with the annotation %s", (annotation) => {
    const other = { [`${FEDERATION}/${annotation}`]: "x" };
    expect(termsText({ annotations: other })).not.toBe(termsText({}));
    expect(termsText({ annotations: { ...other, note: "x" } })).toBe(termsText({ annotations: other }));
  });

  test("change with Pod Security labels, and with no others", () => {
    expect(termsText({ labels: enforce })).not.toBe(termsText({}));
    expect(termsText({ labels: { team: "web" } })).toBe(termsText({}));
  });
});

describe("the Pod Security labels of a namespace", () => {
  test.each([
    ["v1.9", 9],
    ["v1.30", 30],
    ["v1.1234567890", Infinity],
    ["v1.030", Infinity],
    ["v1.3x", Infinity],
    ["v1x3", Infinity],
    ["latest", Infinity],
  ])("of the version %s count from %s on", (version, minor) => {
    expect(podSecurityLevel({ "pod-security.kubernetes.io/enforce-version": version })).toEqual({
      level: "baseline",
      minor,
    });
  });
});

describe("names that a pod may not use", () => {
  const pod = (spec: object): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: { ...spec },
  });

  test.each<[what: string, spec: object, want: object[]]>([
    [
      "an account",
      { serviceAccountName: "builder" },
      [{ field: "spec.serviceAccountName", must: "must not be builder", value: "builder" }],
    ],
    [
      "an account by the older field",
      { serviceAccount: "builder" },
      [{ field: "spec.serviceAccount", must: "must not be builder", value: "builder" }],
    ],
    [
      "an account that is no text",
      { serviceAccountName: 7 },
      [{ field: "spec.serviceAccountName", must: "must not be 7", value: 7 }],
    ],
    ["a node", { nodeName: "n1" }, [{ field: "spec.nodeName", must: "must not be n1", value: "n1" }]],
    ["what every pod has", { serviceAccountName: "default", serviceAccount: "", nodeName: "" }, []],
    ["nothing", { serviceAccountName: null, nodeName: null }, []],
    ["what is allowed", { serviceAccountName: "robot", nodeName: "edge" }, []],
  ])("%s", (_what, spec, want) => {
    const allowed = terms({ "allowed-service-accounts": "robot", "allowed-node-names": "edge" });
    const annotation = "nodeName" in spec ? "allowed-node-names" : "allowed-service-accounts";
    const grantedBy = `${FEDERATION}/${annotation}`;
    expect(ungrantedNames(pod(spec), allowed)).toEqual(want.map((violation) => ({ ...violation, grantedBy })));
  });

  test("a port of the node is granted by its number, and nothing else is", () => {
    const allowed = terms({ "allowed-host-ports": "80" });
    const ports = [{ hostPort: 80 }, { hostPort: 81 }, { hostPort: 0 }, { hostPort: "82" }, { containerPort: 83 }];
    expect(ungrantedNames(pod({ containers: [{ name: "web", ports }] }), allowed)).toEqual([
      {
        field: "spec.containers[web].ports.hostPort",
        must: "must not be 81",
        value: 81,
        hostPort: 81,
        grantedBy: `${FEDERATION}/allowed-host-ports`,
      },
    ]);
  });
});
