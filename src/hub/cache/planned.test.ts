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
  test.each<{ name: string; object: KubeObject; by?: Placement; want: boolean }>([
    { name: "a ConfigMap that nothing selects is not", object: configMap(), want: false },
    { name: "one that has a binding, which has to go", object: configMap({ name: "bound" }), want: true },
    {
      name: "one that a placement of its namespace selects",
      object: configMap(),
      by: placement("shop", CONFIG_MAPS),
      want: true,
    },
    {
      name: "not one of another namespace",
      object: configMap({ namespace: "bank" }),
      by: placement("shop", CONFIG_MAPS),
      want: false,
    },
    {
      name: "one that a placement of the hub selects",
      object: configMap(),
      by: placement(undefined, CONFIG_MAPS),
      want: true,
    },
    {
      name: "not one of another kind",
      object: configMap(),
      by: placement(undefined, { apiVersion: "v1", kind: "Secret" }),
      want: false,
    },
    {
      name: "one that somebody has claimed, whoever selects it",
      object: configMap({ finalizers: ["federation.paas.cmft.com/member-objects.v2"] }),
      want: true,
    },
    {
      name: "one that has a record of where it goes",
      object: configMap({ annotations: { "federation.paas.cmft.com/clusters": "{}" } }),
      want: true,
    },
    {
      name: "not the hub's own by all of a kind",
      object: configMap({ name: "kube-root-ca.crt" }),
      by: placement(undefined, CONFIG_MAPS),
      want: false,
    },
    {
      name: "the hub's own by its name",
      object: configMap({ name: "kube-root-ca.crt" }),
      by: placement(undefined, { ...CONFIG_MAPS, name: "kube-root-ca.crt" }),
      want: true,
    },
    {
      name: "not what is in a protected namespace",
      object: configMap({ namespace: "platform" }),
      by: placement(undefined, CONFIG_MAPS),
      want: false,
    },
    {
      name: "nor in one of Kubernetes",
      object: configMap({ namespace: "kube-system" }),
      by: placement(undefined, CONFIG_MAPS),
      want: false,
    },
    {
      name: "what is in a namespace of these labels",
      object: configMap(),
      by: placement(undefined, { ...CONFIG_MAPS, namespaceSelector: { matchLabels: { team: "a" } } }),
      want: true,
    },
    {
      name: "not in a namespace that is not known",
      object: configMap({ namespace: "bank" }),
      by: placement(undefined, { ...CONFIG_MAPS, namespaceSelector: {} }),
      want: false,
    },
    {
      name: "an application always, as before",
      object: { ...configMap({ namespace: "kube-system" }), apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" },
      want: true,
    },
  ])("$name", ({ object, by, want }) => {
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
