import { describe, expect } from "vitest";
import { bundle, clusterRole, definition, operator, serviceAccount, widget } from "../../../test/builders/index.ts";
import { BUNDLE_BOUNDS, type KubeObject, SCOPE_ANNOTATION, type UnpackedSpec } from "../../apis/index.ts";
import { judgeManifests, renderManifests, unpackedSpecOf } from "./manifests.ts";
import { fc, test } from "@fast-check/vitest";
import { placeableKindOf } from "../registry/registry.ts";
import { phaseOf } from "../kinds/kinds.ts";

const specOf = (spec: unknown): UnpackedSpec => unpackedSpecOf({ ...bundle("b", []), spec });
const judged = (manifests: readonly unknown[], more: Partial<UnpackedSpec> = {}, home?: string): object[] => [
  ...judgeManifests({ manifests: manifests as KubeObject[], listed: manifests.length, ...more }, home),
];
const account = serviceAccount("a");
const withMetadata = (metadata: object): object => ({ ...account, metadata: { name: "a", ...metadata } });

describe("what the spec of a bundle says", () => {
  const one = [account];
  test.each<{ name: string; spec: unknown; want: UnpackedSpec }>([
    { name: "no object", spec: "text", want: { manifests: [], listed: 0 } },
    { name: "how many are listed", spec: { manifests: one, listed: 0 }, want: { manifests: one, listed: 0 } },
    {
      name: "that it could not be unpacked",
      spec: { manifests: one, compressed: "x", unreadable: "no base64" },
      want: { manifests: one, listed: 1, unreadable: "no base64" },
    },
    {
      name: "what nobody has unpacked",
      spec: { compressed: "x", unreadable: 1 },
      want: { manifests: [], listed: 0, unreadable: "spec.compressed has not been unpacked" },
    },
  ])("$name", ({ spec, want }) => expect(specOf(spec)).toStrictEqual(want));
});

describe("a manifest", () => {
  const SHAPE = "must be an object with apiVersion, kind and metadata.name";
  const GIVEN = "must be given, as in every manifest";
  const NAME = "must be given: a name of at most 253 characters, without / and %";
  const NAMESPACE = "must be the name of a namespace";
  const WRITTEN = "is written by each member; remove it from the manifest";
  const TEXTS = "every value must be a text; put numbers and booleans in quotes";
  const RESERVED = "is reserved for Meridian; remove it";
  const TOKEN = "a Secret that holds a token is never sent to members; remove it";
  const MARK = "federation.paas.cmft.com/owner";

  test.each<{ name: string; given: unknown; below: string; message: string }>([
    { name: "that is a list", given: [account], below: "", message: SHAPE },
    { name: "without a version", given: { ...account, apiVersion: undefined }, below: ".apiVersion", message: GIVEN },
    { name: "with a number as its kind", given: { ...account, kind: 1 }, below: ".kind", message: GIVEN },
    { name: "with an empty version", given: { ...account, apiVersion: "" }, below: ".apiVersion", message: GIVEN },
    { name: "without metadata", given: { ...account, metadata: null }, below: ".metadata.name", message: NAME },
    {
      name: "with a name that is too long",
      given: withMetadata({ name: "a".repeat(254) }),
      below: ".metadata.name",
      message: NAME,
    },
    { name: "with an escaped name", given: withMetadata({ name: "a%2f" }), below: ".metadata.name", message: NAME },
    ...[1, "", "-a", "A", "a.b", "a".repeat(64)].map((namespace) => ({
      name: `in the namespace ${namespace}`,
      given: withMetadata({ namespace }),
      below: ".metadata.namespace",
      message: NAMESPACE,
    })),
    ...[
      "uid",
      "resourceVersion",
      "generation",
      "generateName",
      "creationTimestamp",
      "deletionTimestamp",
      "deletionGracePeriodSeconds",
      "selfLink",
      "ownerReferences",
      "managedFields",
    ].map((field) => ({
      name: `with ${field}`,
      given: withMetadata({ [field]: "x" }),
      below: `.metadata.${field}`,
      message: WRITTEN,
    })),
    { name: "with a status", given: { ...account, status: null }, below: ".status", message: WRITTEN },
    {
      name: "with an annotation that is no text",
      given: withMetadata({ annotations: { a: "1", b: true } }),
      below: ".metadata.annotations",
      message: TEXTS,
    },
    {
      name: "with a mark of Meridian",
      given: withMetadata({ annotations: { a: "1", [MARK]: "x" } }),
      below: `.metadata.annotations[${MARK}]`,
      message: RESERVED,
    },
    {
      name: "that is the token of an account",
      given: { ...account, kind: "Secret", type: "kubernetes.io/service-account-token" },
      below: ".type",
      message: TOKEN,
    },
    {
      name: "that is the token of a node",
      given: { ...account, kind: "Secret", type: "bootstrap.kubernetes.io/token" },
      below: ".type",
      message: TOKEN,
    },
    {
      name: "that is cluster-scoped, in a namespace",
      given: { ...clusterRole("r"), metadata: { name: "r", namespace: "x" } },
      below: ".metadata.namespace",
      message: "ClusterRole is cluster-scoped; remove the namespace",
    },
    {
      name: "of a kind that each cluster has itself",
      given: { ...account, kind: "Node" },
      below: ".kind",
      message: "Node is never sent to members: it stands for a machine of one cluster",
    },
    {
      name: "that no server takes",
      given: { ...account, data: "x".repeat(2 * 1024 * 1024) },
      below: "",
      message: "is larger than 1572864 bytes, which no server takes as one object; remove some of it",
    },
  ])("$name is refused", ({ given, below, message }) => {
    expect(judged([given])).toEqual([{ field: `spec.manifests[0]${below}`, message }]);
  });

  test.each<{ name: string; given: unknown }>([
    { name: "with the longest name", given: withMetadata({ name: "a".repeat(253) }) },
    { name: "with a name of roles", given: withMetadata({ name: "system:a" }) },
    { name: "in the longest namespace", given: withMetadata({ namespace: `0${"-".repeat(61)}9` }) },
    { name: "with a time of nothing, as tools write it", given: withMetadata({ creationTimestamp: null }) },
    { name: "that says its scope", given: withMetadata({ annotations: { [SCOPE_ANNOTATION]: "Cluster" } }) },
    { name: "that is a Secret of another type", given: { ...account, kind: "Secret", type: "Opaque" } },
    {
      name: "that is no Secret of Kubernetes",
      given: { ...account, apiVersion: "example.com/v1", kind: "Secret", type: "bootstrap.kubernetes.io/token" },
    },
    { name: "that is no Secret", given: { ...account, type: "bootstrap.kubernetes.io/token" } },
    { name: "that is cluster-scoped", given: clusterRole("r") },
  ])("$name can be sent", ({ given }) => expect(judged([given])).toEqual([]));
});

describe("the manifests of a bundle", () => {
  const many = (count: number): object[] => Array.from({ length: count }, (_, at) => serviceAccount(`a${at}`));

  test("are as many as it may hold, and no more", () => {
    expect(judged(many(BUNDLE_BOUNDS.manifests))).toEqual([]);
    expect(judged(many(BUNDLE_BOUNDS.manifests + 1))).toEqual([
      { field: "spec", message: "may hold at most 2000 manifests; make several bundles of them" },
    ]);
  });

  test("are told of, though others could not be unpacked", () => {
    expect(judged(["text"], { unreadable: "it is no gzip" })).toEqual([
      { field: "spec.compressed", message: "it is no gzip" },
      { field: "spec.manifests[0]", message: "must be an object with apiVersion, kind and metadata.name" },
    ]);
  });

  test("are compared with all before them, in the namespace where they will be", () => {
    const [other, named] = [serviceAccount("b"), { ...account, metadata: { name: "a", namespace: "shop" } }];
    expect(judged([account, other, named, other], { listed: 3 }, "shop")).toEqual([
      {
        field: "spec.manifests[2]",
        message: "ServiceAccount shop/a is there twice, also as spec.manifests[0]; remove one",
      },
      {
        field: "spec.compressed[0]",
        message: "ServiceAccount b is there twice, also as spec.manifests[1]; remove one",
      },
    ]);
    expect(judged([account, named])).toEqual([]);
    expect(judged([clusterRole("r"), clusterRole("r")], {}, "shop")).toHaveLength(1);
  });
});

describe("what a manifest is made into", () => {
  const render = (...manifests: KubeObject[]): KubeObject[] =>
    renderManifests({ manifests, listed: manifests.length }, "shop");
  const metadataOf = (...manifests: KubeObject[]): unknown[] => render(...manifests).map(({ metadata }) => metadata);

  test("keeps all of its metadata but its scope", () => {
    const labels = { a: "1" };
    expect(metadataOf(widget("w", { labels, annotations: { [SCOPE_ANNOTATION]: "Namespaced", b: "2" } }))).toEqual([
      { name: "w", labels, annotations: { b: "2" }, namespace: "shop" },
    ]);
    expect(metadataOf(widget("w", { annotations: { [SCOPE_ANNOTATION]: "Cluster" } }))).toStrictEqual([{ name: "w" }]);
    expect(metadataOf(widget("w", { annotations: {} }))).toStrictEqual([{ name: "w", namespace: "shop" }]);
  });

  test("stays in the namespace that it names, whatever its scope is said to be", () => {
    const named = widget("w", { namespace: "bank", annotations: { [SCOPE_ANNOTATION]: "Cluster" } });
    expect(metadataOf(named, definition("widgets", "Widget", "Cluster"))[1]).toEqual({ name: "w", namespace: "bank" });
  });

  test("has the scope of the definition of its own kind, and of no other object that says so", () => {
    const claims = { ...widget("claims"), spec: { ...(definition()["spec"] as object), scope: "Cluster" } };
    expect(metadataOf(claims, widget("w"))).toEqual([
      { name: "claims", namespace: "shop" },
      { name: "w", namespace: "shop" },
    ]);
    expect(metadataOf(widget("w"), definition("widgets", "Widget", "Namespaced"))[1]).toEqual({
      name: "w",
      namespace: "shop",
    });
    const others = [definition("gadgets", "Gadget", "Cluster"), { ...widget("w"), apiVersion: "other.com/v1" }];
    expect(metadataOf(...others, widget("x"), definition("widgets", "Widget", "Cluster")).slice(2)).toEqual([
      { name: "w", namespace: "shop" },
      { name: "x" },
    ]);
  });

  test("is made anew for another namespace, and for another scope", () => {
    const shared = widget("w");
    const [here] = render(shared);
    expect(render(shared)[0]).toBe(here);
    const [there] = renderManifests({ manifests: [shared], listed: 1 }, "bank");
    expect(there?.metadata).toEqual({ name: "w", namespace: "bank" });
    expect(metadataOf(shared)).toEqual([{ name: "w", namespace: "shop" }]);
    expect(metadataOf(shared, definition("widgets", "Widget", "Cluster"))[1]).toEqual({ name: "w" });
  });
});

const render = (...manifests: KubeObject[]): KubeObject[] =>
  placeableKindOf("federation.paas.cmft.com", "ManifestBundle").render(bundle("b", manifests, { namespace: "shop" }));

describe("what a bundle renders", () => {
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

  test("of a built-in kind holds no field that is null or an empty list, which the server drops", () => {
    const [object] = render({ ...serviceAccount("a"), secrets: [], metadata: { name: "a", labels: null } } as never);
    expect(object).toEqual({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", namespace: "shop" } });
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
  test.prop([fc.array(fc.jsonValue(), { maxLength: 4 })])("never throws, whatever is given", (manifests) => {
    expect(() => judged(manifests)).not.toThrow();
  });
});
