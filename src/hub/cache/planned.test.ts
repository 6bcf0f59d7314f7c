import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta, Placement, ResourceBinding, ResourceSelector } from "../../apis/index.ts";
import { PlannedObjects } from "./planned.ts";

const CONFIG_MAPS = { apiVersion: "v1", kind: "ConfigMap" };

function configMap(metadata: Partial<ObjectMeta> = {}): KubeObject {
  return { ...CONFIG_MAPS, metadata: { name: "a", namespace: "shop", ...metadata } };
}

function placement(namespace: string | undefined, ...resourceSelectors: ResourceSelector[]): Placement {
  const kind = namespace === undefined ? "ClusterPlacement" : "Placement";
  const metadata = { name: "p", ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: "federation.paas.cmft.com/v1alpha1", kind, metadata, spec: { resourceSelectors } } as Placement;
}

/** A hub with the namespace `shop` of the team `a`. */
function setUp(...given: Placement[]) {
  let placements: readonly Placement[] = given;
  const planned = new PlannedObjects({
    placements: () => placements,
    bindings: { of: ({ metadata }) => (metadata.name === "bound" ? ({} as ResourceBinding) : undefined) },
    namespaces: { get: (name) => (name === "shop" ? { metadata: { name, labels: { team: "a" } } } : undefined) },
    protectedNamespaces: ["platform"],
  });
  return { planned, become: (...next: Placement[]) => (placements = next) };
}

describe("what is planned", () => {
  test.each<[name: string, object: KubeObject, want: boolean, by?: Placement | undefined]>([
    ["a ConfigMap that nothing selects is not", configMap(), false],
    ["one that has a binding, which has to go", configMap({ name: "bound" }), true],
    ["one that a placement of its namespace selects", configMap(), true, placement("shop", CONFIG_MAPS)],
    ["not one of another namespace", configMap({ namespace: "bank" }), false, placement("shop", CONFIG_MAPS)],
    ["one that a placement of the hub selects", configMap(), true, placement(undefined, CONFIG_MAPS)],
    ["not one of another kind", configMap(), false, placement(undefined, { apiVersion: "v1", kind: "Secret" })],
    [
      "one that somebody has claimed, whoever selects it",
      configMap({ finalizers: ["federation.paas.cmft.com/member-objects.v2"] }),
      true,
    ],
    [
      "one that has a record of where it goes",
      configMap({ annotations: { "federation.paas.cmft.com/clusters": "{}" } }),
      true,
    ],
    [
      "not the hub's own by all of a kind",
      configMap({ name: "kube-root-ca.crt" }),
      false,
      placement(undefined, CONFIG_MAPS),
    ],
    [
      "the hub's own by its name",
      configMap({ name: "kube-root-ca.crt" }),
      true,
      placement(undefined, { ...CONFIG_MAPS, name: "kube-root-ca.crt" }),
    ],
    [
      "not what is in a protected namespace",
      configMap({ namespace: "platform" }),
      false,
      placement(undefined, CONFIG_MAPS),
    ],
    ["nor in one of Kubernetes", configMap({ namespace: "kube-system" }), false, placement(undefined, CONFIG_MAPS)],
    [
      "what is in a namespace of these labels",
      configMap(),
      true,
      placement(undefined, { ...CONFIG_MAPS, namespaceSelector: { matchLabels: { team: "a" } } }),
    ],
    [
      "not in a namespace that is not known",
      configMap({ namespace: "bank" }),
      false,
      placement(undefined, { ...CONFIG_MAPS, namespaceSelector: {} }),
    ],
    [
      "an application always, as before",
      { ...configMap({ namespace: "kube-system" }), apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" },
      true,
    ],
  ])("%s", (_name, object, want, by) => {
    expect(setUp(...(by === undefined ? [] : [by])).planned.includes(object)).toBe(want);
  });

  test("follows the placements", () => {
    const { planned, become } = setUp();
    expect(planned.includes(configMap())).toBe(false);
    become(placement("shop", CONFIG_MAPS, CONFIG_MAPS));
    expect(planned.includes(configMap())).toBe(true);
    become();
    expect(planned.includes(configMap())).toBe(false);
  });
});

test("what policies select by: the labels of the namespace, and whether an object is the hub's own", () => {
  const { planned } = setUp();
  expect(planned.settingOf(configMap())).toEqual({ namespaceLabels: { team: "a" } });
  expect(planned.settingOf(configMap({ namespace: "bank" }))).toEqual({});
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "system:node" } };
  expect(planned.settingOf(role)).toEqual({ hubsOwn: "its name is one of Kubernetes' own" });
  const application = {
    ...configMap({ namespace: "platform" }),
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
  };
  expect(planned.settingOf(application)).toEqual({});
});
