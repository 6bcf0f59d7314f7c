import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { bundle, clusterRole, definition, operator, serviceAccount, widget } from "../../../test/builders/index.ts";
import { BUNDLE_BOUNDS, type KubeObject, SCOPE_ANNOTATION } from "../../apis/index.ts";
import { placeableKindOf } from "../registry/registry.ts";
import { phaseOf } from "../kinds/kinds.ts";
import { judgeManifests } from "./manifests.ts";

const render = (...manifests: KubeObject[]): KubeObject[] =>
  placeableKindOf("federation.paas.cmft.com", "ManifestBundle").render(bundle("b", manifests, { namespace: "shop" }));
const placed = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "-"}/${metadata.name}`);
const told = (...manifests: unknown[]): string[] =>
  [...judgeManifests({ manifests: manifests as KubeObject[], listed: manifests.length }, "shop")].map(
    ({ field, message }) => `${field} ${message}`,
  );

describe("what a bundle renders", () => {
  test("is in the namespace of the bundle where it names none, unless its kind is cluster-scoped", () => {
    expect(
      placed(render(serviceAccount("a"), { ...serviceAccount("b"), metadata: { name: "b", namespace: "x" } })),
    ).toEqual(["ServiceAccount shop/a", "ServiceAccount x/b"]);
    expect(placed(render(clusterRole("r"), definition()))).toEqual([
      "CustomResourceDefinition -/widgets.example.com",
      "ClusterRole -/r",
    ]);
  });

  test("has the scope that a definition in the bundle gives to a custom kind, or an annotation", () => {
    expect(placed(render(widget("w")))).toEqual(["Widget shop/w"]);
    expect(placed(render(widget("w"), definition("widgets", "Widget", "Cluster")))[1]).toBe("Widget -/w");
    const [annotated] = render(widget("w", { annotations: { [SCOPE_ANNOTATION]: "Cluster" } }));
    expect(annotated?.metadata).toEqual({ name: "w" });
  });

  test("is in the order of application, and within a phase as it is written", () => {
    const webhook = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" };
    const objects = render(
      widget("z"),
      widget("a"),
      { ...webhook, metadata: { name: "v" } },
      operator("o"),
      serviceAccount("s"),
      clusterRole("r"),
      definition(),
    );
    expect(objects.map(({ kind }) => kind)).toEqual([
      "CustomResourceDefinition",
      "ServiceAccount",
      "ClusterRole",
      "Deployment",
      "ValidatingWebhookConfiguration",
      "Widget",
      "Widget",
    ]);
    expect(objects.slice(-2).map(({ metadata }) => metadata.name)).toEqual(["z", "a"]);
  });

  test("of a custom kind, and the schema of one, is as it was written", () => {
    const spec = { list: [], nothing: null, map: {}, mixed: [[], {}, "x", null], nested: { only: { empty: [] } } };
    const custom = { ...widget("w"), spec };
    const schema = { properties: { a: { enum: ["a", null], default: [], nullable: true } }, required: [] };
    const crd = definition() as KubeObject & { spec: object };
    const withSchema = {
      ...crd,
      spec: { ...crd.spec, versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }] },
    };
    const sent = render(custom, withSchema);
    expect(sent.find(({ kind }) => kind === "Widget")?.["spec"]).toStrictEqual(spec);
    expect(sent.find(({ kind }) => kind === "CustomResourceDefinition")?.["spec"]).toStrictEqual(withSchema.spec);
  });

  test("of a built-in kind keeps what is empty and means something", () => {
    const policy = {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "p" },
      spec: {
        podSelector: {},
        egress: [],
        ingress: [
          { from: [] },
          {},
          { from: [{ namespaceSelector: { matchExpressions: [] } }, { podSelector: { matchLabels: null } }] },
        ],
      },
    };
    expect(render(policy)[0]?.["spec"]).toStrictEqual({
      podSelector: {},
      ingress: [{}, {}, { from: [{ namespaceSelector: {} }, { podSelector: {} }] }],
    });
  });

  test("keeps keys that are the name of something else in JavaScript", () => {
    const data = JSON.parse('{"__proto__":"p","constructor":"c"}') as object;
    const [object] = render({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data });
    expect(JSON.stringify(object?.["data"])).toBe('{"__proto__":"p","constructor":"c"}');
  });

  test("of a built-in kind holds no field that is null or an empty list, which the server drops", () => {
    const [object] = render({ ...serviceAccount("a"), secrets: [], metadata: { name: "a", labels: null } } as never);
    expect(object).toEqual({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", namespace: "shop" } });
  });

  test("is the same objects each time, so that nobody hashes them twice", () => {
    const one = bundle("b", [serviceAccount("a"), operator("o")]);
    const kind = placeableKindOf("federation.paas.cmft.com", "ManifestBundle");
    expect(kind.render(one).map((object, index) => object === kind.render(one)[index])).toEqual([true, true]);
  });

  test("needs ConfigMaps of its own namespace that it does not bring itself, and does not miss them", () => {
    const pods = (namespace?: string) =>
      operator("o", "default", namespace === undefined ? {} : { namespace }) as KubeObject & {
        spec: { template: { spec: object } };
      };
    const withVolumes = (object: ReturnType<typeof pods>): KubeObject => {
      const volumes = ["own", "other"].map((name) => ({ name, configMap: { name } }));
      return { ...object, spec: { ...object.spec, template: { ...object.spec.template, spec: { volumes } } } };
    };
    const own = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "own" } };
    const needs = (...manifests: KubeObject[]) =>
      placeableKindOf("federation.paas.cmft.com", "ManifestBundle")
        .dependencies(bundle("b", manifests, { namespace: "shop" }))
        .map(({ ref, optional }) => [ref.namespace, ref.name, optional]);
    expect(needs(own, withVolumes(pods()))).toEqual([["shop", "other", true]]);
    expect(needs(withVolumes(pods("elsewhere")))).toEqual([]);
  });

  test.prop([fc.shuffledSubarray([widget("w"), operator("o"), serviceAccount("s"), clusterRole("r"), definition()])])(
    "never applies an object before one of an earlier phase",
    (manifests) => {
      const phases = render(...manifests).map(phaseOf);
      expect(phases).toEqual(phases.toSorted((a, b) => a - b));
      expect(phases).toHaveLength(manifests.length);
    },
  );
});

describe("manifests that cannot be sent", () => {
  const account = serviceAccount("a");
  test.each<{ name: string; given: unknown; want: string }>([
    {
      name: "no object",
      given: "text",
      want: "spec.manifests[0] must be an object with apiVersion, kind and metadata.name",
    },
    { name: "no kind", given: { ...account, kind: "" }, want: "spec.manifests[0].kind must be given" },
    { name: "no name", given: { ...account, metadata: {} }, want: "spec.manifests[0].metadata.name must be given" },
    {
      name: "a name that leads elsewhere",
      given: { ...account, metadata: { name: "../nodes/a" } },
      want: "spec.manifests[0].metadata.name must be given",
    },
    {
      name: "a namespace that is none",
      given: { ...account, metadata: { name: "a", namespace: "A/b" } },
      want: "spec.manifests[0].metadata.namespace must be the name of a namespace",
    },
    { name: "a status", given: { ...account, status: {} }, want: "spec.manifests[0].status is written by each member" },
    {
      name: "owners",
      given: { ...account, metadata: { name: "a", ownerReferences: [] } },
      want: "spec.manifests[0].metadata.ownerReferences is written by each member",
    },
    {
      name: "owners of fields",
      given: { ...account, metadata: { name: "a", managedFields: [] } },
      want: "spec.manifests[0].metadata.managedFields is written by each member",
    },
    {
      name: "marks of Meridian",
      given: { ...account, metadata: { name: "a", labels: { "federation.paas.cmft.com/managed-by": "x" } } },
      want: "is reserved for Meridian",
    },
    {
      name: "a label that is no text",
      given: { ...account, metadata: { name: "a", labels: { a: 1 } } },
      want: "spec.manifests[0].metadata.labels every value must be a text",
    },
    {
      name: "a Namespace",
      given: { ...account, kind: "Namespace" },
      want: "spec.manifests[0].kind Namespace is never sent to members: Meridian makes the namespaces",
    },
    {
      name: "a list",
      given: { ...account, kind: "List" },
      want: "spec.manifests[0].kind List is never sent to members: put its items into the list one by one",
    },
    {
      name: "an object of Meridian itself",
      given: { ...account, apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" },
      want: "Meridian's own objects stay on the hub",
    },
    {
      name: "a token",
      given: { ...account, kind: "Secret", type: "kubernetes.io/service-account-token" },
      want: "a Secret that holds a token is never sent to members",
    },
    {
      name: "a cluster-scoped object in a namespace",
      given: { ...clusterRole("r"), metadata: { name: "r", namespace: "x" } },
      want: "ClusterRole is cluster-scoped; remove the namespace",
    },
    {
      name: "an object that no server takes",
      given: { ...account, data: "x".repeat(2 * 1024 * 1024) },
      want: "spec.manifests[0] is larger than 1572864 bytes, which no server takes as one object",
    },
  ])("$name", ({ given, want }) => {
    expect(told(given)).toEqual([expect.stringContaining(want)]);
  });

  test("are told by their place among those that are listed, or compressed", () => {
    const wrong = { ...account, status: {} };
    const problems = [
      ...judgeManifests({ manifests: [account, wrong, { ...wrong, kind: "Pod" }] as never, listed: 2 }, "shop"),
    ];
    expect(problems.map(({ field }) => field)).toEqual(["spec.manifests[1].status", "spec.compressed[0].status"]);
  });

  test("two of one identity name both places", () => {
    expect(told(account, widget("w"), account)).toEqual([
      "spec.manifests[2] ServiceAccount a is there twice, also as spec.manifests[0]; remove one",
    ]);
  });

  test("an object that names the bundle's own namespace is the one that names none", () => {
    expect(told(account, { ...account, metadata: { name: "a", namespace: "shop" } })).toEqual([
      "spec.manifests[1] ServiceAccount shop/a is there twice, also as spec.manifests[0]; remove one",
    ]);
    expect(told(account, { ...account, metadata: { name: "a", namespace: "bank" } })).toEqual([]);
  });

  test("more than a bundle holds are counted, and not looked at", () => {
    const manifests = Array.from({ length: BUNDLE_BOUNDS.manifests + 1 }, () => null) as never;
    expect([...judgeManifests({ manifests, listed: 0 }, "shop")]).toEqual([
      { field: "spec", message: "may hold at most 2000 manifests; make several bundles of them" },
    ]);
  });

  test.prop([fc.array(fc.jsonValue(), { maxLength: 4 })])("never throws, whatever is given", (manifests) => {
    expect(() => told(...manifests)).not.toThrow();
  });
});
