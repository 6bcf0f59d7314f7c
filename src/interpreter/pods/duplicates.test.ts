import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { withoutDuplicates } from "./duplicates.ts";
import type { Fields } from "../values.ts";

const metadata = { name: "web", namespace: "default" };
const withContainer = (container: object, spec: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: { template: { spec: { containers: [{ name: "web", image: "nginx", ...container }], ...spec } } },
});
const podIn = (object: KubeObject): Fields => (object["spec"] as { template: { spec: Fields } }).template.spec;
const containerIn = (object: KubeObject): Fields | undefined => (podIn(object)["containers"] as Fields[])[0];
const at = "spec.template.spec.containers[web]";

describe("variables of one name", () => {
  const variable = (name: string, value: string) => ({ name, value });
  test.each([
    ["are sent once where they are equal, where the first stands", ["A=1", "B=$(A)", "A=1"], ["A=1", "B=$(A)"]],
    [
      "are the last of them, as for the kubelet, where it stands",
      ["A=1", "C=0", "A=2", "B=$(A)"],
      ["C=0", "A=2", "B=$(A)"],
    ],
  ])("%s", (_name, env, want) => {
    const parsed = (list: string[]) => list.map((text) => variable(text.slice(0, 1), text.slice(2)));
    const { object, notes, refusal } = withoutDuplicates(withContainer({ env: parsed(env) }));
    expect(containerIn(object)?.["env"]).toEqual(parsed(want));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`${at}.env: A`);
    expect(refusal).toBeUndefined();
  });

  test.each([
    ["is read in between", [variable("A", "1"), variable("B", "$(A)"), variable("A", "2")]],
    ["is read by the next of them", [variable("A", "1"), variable("A", "$(A)x")]],
  ])("are refused where the earlier value %s", (_name, env) => {
    expect(withoutDuplicates(withContainer({ env })).refusal).toContain(`${at}.env: A is set twice`);
  });
});

describe("ports of one number and protocol", () => {
  const portsOf = (...ports: object[]) => withoutDuplicates(withContainer({ ports }));
  test.each([
    [
      "one with the default protocol",
      [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }],
      [{ containerPort: 80 }],
    ],
    [
      "one that says more",
      [{ containerPort: 80 }, { containerPort: 81 }, { containerPort: 80, name: "http" }],
      [{ containerPort: 80, name: "http" }, { containerPort: 81 }],
    ],
  ])("are one: %s", (_name, ports, want) => {
    const { object, notes, refusal } = portsOf(...ports);
    expect(containerIn(object)?.["ports"]).toEqual(want);
    expect(notes).toEqual([`${at}.ports: 80/TCP stands there twice; it is sent once`]);
    expect(refusal).toBeUndefined();
  });

  test("are several where the protocol is another one", () => {
    const object = withContainer({ ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }] });
    expect(withoutDuplicates(object)).toEqual({ object, notes: [], refusal: undefined });
    expect(withoutDuplicates(object).object).toBe(object);
  });

  test.each([
    [
      { containerPort: 80, name: "a" },
      { containerPort: 80, name: "b" },
    ],
    [
      { containerPort: 80, hostPort: 1 },
      { containerPort: 80, hostPort: 2 },
    ],
  ])("are refused where both mean something: %j %j", (...ports) => {
    const { refusal } = portsOf(...ports);
    expect(refusal).toBe(`${at}.ports: two entries for 80/TCP differ; keep one of them on the hub`);
  });
});

describe("other lists", () => {
  test("of pods: hosts get all their names, and pull secrets stand once", () => {
    const hostAliases = [
      { ip: "1.2.3.4", hostnames: ["a", "b"] },
      { ip: "1.2.3.5", hostnames: ["c"] },
      { ip: "1.2.3.4", hostnames: ["b", "d"] },
    ];
    const imagePullSecrets = [{ name: "s" }, { name: "s" }];
    const { object, notes } = withoutDuplicates(withContainer({}, { hostAliases, imagePullSecrets }));
    expect(podIn(object)).toMatchObject({
      hostAliases: [
        { ip: "1.2.3.4", hostnames: ["a", "b", "d"] },
        { ip: "1.2.3.5", hostnames: ["c"] },
      ],
      imagePullSecrets: [{ name: "s" }],
    });
    expect(notes).toHaveLength(2);
  });

  const policyRule = {
    verbs: ["get", "get"],
    apiGroups: ["", ""],
    resources: ["pods", "pods"],
    namespaces: ["a", "a"],
  };
  test.each<[string, string, object, object]>([
    ["v1", "ServiceAccount", { secrets: [{ name: "a" }, { name: "a" }] }, { secrets: [{ name: "a" }] }],
    [
      "v1",
      "Pod",
      { spec: { containers: [{ name: "c", env: [{ name: "A" }, { name: "A" }] }] } },
      { spec: { containers: [{ name: "c", env: [{ name: "A" }] }] } },
    ],
    [
      "batch/v1",
      "CronJob",
      {
        spec: {
          jobTemplate: {
            spec: {
              template: {
                spec: { initContainers: [{ name: "c", ports: [{ containerPort: 1 }, { containerPort: 1 }] }] },
              },
            },
          },
        },
      },
      {
        spec: {
          jobTemplate: {
            spec: { template: { spec: { initContainers: [{ name: "c", ports: [{ containerPort: 1 }] }] } } },
          },
        },
      },
    ],
    [
      "discovery.k8s.io/v1",
      "EndpointSlice",
      { endpoints: [{ addresses: ["1.2.3.4", "1.2.3.4"] }] },
      { endpoints: [{ addresses: ["1.2.3.4"] }] },
    ],
    [
      "flowcontrol.apiserver.k8s.io/v1",
      "FlowSchema",
      { spec: { rules: [{ resourceRules: [policyRule] }] } },
      {
        spec: {
          rules: [{ resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["a"] }] }],
        },
      },
    ],
    [
      "admissionregistration.k8s.io/v1",
      "ValidatingAdmissionPolicy",
      {
        spec: {
          variables: [
            { name: "a", expression: "1" },
            { name: "a", expression: "1" },
          ],
        },
      },
      { spec: { variables: [{ name: "a", expression: "1" }] } },
    ],
  ])("of %s %s", (apiVersion, kind, content, want) => {
    const { object, notes, refusal } = withoutDuplicates({ apiVersion, kind, metadata, ...content });
    expect(object).toEqual({ apiVersion, kind, metadata, ...want });
    expect(notes.length).toBeGreaterThan(0);
    expect(refusal).toBeUndefined();
  });

  test("of a definition: one rule at any depth, and none of two messages", () => {
    const definition = (...rules: object[]): KubeObject => {
      const items = { type: "object", "x-kubernetes-validations": rules };
      const properties = { spec: { type: "object", properties: { list: { type: "array", items } } } };
      const versions = [{ name: "v1", schema: { openAPIV3Schema: { type: "object", properties } } }];
      return { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec: { versions } };
    };
    const [one, other] = [
      { rule: "true", message: "a" },
      { rule: "true", message: "b" },
    ];
    expect(withoutDuplicates(definition(one, one)).object).toEqual(definition(one));
    const { refusal } = withoutDuplicates(definition(one, other));
    expect(refusal).toContain(
      "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.items.x-kubernetes-validations",
    );
  });

  test("of a policy are refused where two of one name differ", () => {
    const variables = ["1", "2"].map((expression) => ({ name: "a", expression }));
    const policy = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy" };
    expect(withoutDuplicates({ ...policy, metadata, spec: { variables } }).refusal).toBeDefined();
  });

  test("of custom kinds stay as they are: their definitions say what a list is", () => {
    const spec = { template: { spec: { containers: [{ name: "c", env: [{ name: "A" }, { name: "A" }] }] } } };
    const object = { apiVersion: "example.com/v1", kind: "Deployment", metadata, spec };
    expect(withoutDuplicates(object)).toEqual({ object, notes: [], refusal: undefined });
  });
});
