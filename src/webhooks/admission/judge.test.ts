import { gzipSync } from "node:zlib";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  FEDERATION_API_VERSION,
  type KubeObject,
  type MemberCluster,
  type Placement,
  ROLLOUT_COMMAND_ANNOTATION,
} from "../../apis/index.ts";
import { bundle } from "../../../test/builders/index.ts";
import { BAD_OBJECTS } from "../../../test/builders/badObjects.ts";
import { GOOD_OBJECTS } from "../../../test/builders/goodObjects.ts";
import {
  applicationObject,
  clusterObject,
  clusterOverrideObject,
  clusterPlacementObject,
  overrideObject,
  patchObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import { clusterSnapshot, unpack } from "../../hub/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { anyApplication } from "../testing/arbitraries.ts";
import { applicationFactsOf, factsOf, requestOf } from "../testing/facts.ts";
import { defaultsOf } from "./defaults.ts";
import { judgeRequest, judgeShape } from "./judge.ts";
import type { AdmissionFacts, AdmissionRequest } from "./types.ts";

const NOW = Date.UTC(2026, 10, 21);
const PROTECTION = "paas.cmft.com/deletion-protection";

const labelled = (object: KubeObject, labels: Record<string, string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels },
});

function said(request: AdmissionRequest, facts: Partial<AdmissionFacts> = {}): string {
  return judgeRequest(request, factsOf(facts), NOW)
    .problems.map(({ field, message }) => `${field}: ${message}`)
    .join("; ");
}

const selecting = (selector: object) => ({ resourceSelectors: [selector] });
const demo = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const cluster = (name: string) => clusterSnapshot(clusterObject({}, name) as unknown as MemberCluster);
const everywhere = {
  ...clusterPlacementObject({}),
  spec: { resourceSelectors: [demo], replicaScheduling: { mode: "Duplicated" } },
} as unknown as Placement;
const kubeconfig = clusterObject({ connection: { kubeconfigSecretRef: { name: "a" } } }, "a");
const withPort = (protocol = "TCP") => applicationObject({ ports: [{ port: 80, nodePort: 30_002, protocol }] }, "mine");
const other = applicationFactsOf("theirs", { ports: [{ nodePort: 30_002, protocol: "TCP" }], clusters: ["a"] });

describe("a bundle", () => {
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } };
  const bundleOf = (spec: object): KubeObject => ({ ...bundle("operator", []), spec });
  const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");
  const saidOf = async (compressed: string): Promise<string> =>
    said(requestOf("CREATE", bundleOf({ compressed })), {
      unpacked: new Map([[compressed, await unpack(compressed, systemClock)]]),
    });

  test("is refused for what is wrong with a manifest, by its place, also where it is compressed", async () => {
    const token = { ...account, kind: "Secret", type: "kubernetes.io/service-account-token" };
    expect(said(requestOf("CREATE", bundleOf({ manifests: [account, token] })))).toBe(
      "spec.manifests[1].type: a Secret that holds a token is never sent to members; remove it",
    );
    expect(await saidOf(packed([account, { ...account, status: {} }]))).toBe(
      "spec.compressed[1].status: is written by each member; remove it from the manifest",
    );
  });

  test("that is a bomb is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64");
    expect(await saidOf(bomb)).toBe("spec.compressed: unpacks to more than 8 MiB; make several bundles of it");
  });

  test("is told twenty of its mistakes at most", () => {
    const wrong = Array.from({ length: 100 }, (_, index) => ({
      ...account,
      metadata: { name: `a${index}` },
      status: {},
    }));
    expect(judgeRequest(requestOf("CREATE", bundleOf({ manifests: wrong })), factsOf(), NOW).problems).toHaveLength(20);
  });

  test("gets the finalizer of its objects as it is made", () => {
    expect(defaultsOf(requestOf("CREATE", bundleOf({ manifests: [account] })), new Set(["default"]))).toEqual(
      defaultsOf(requestOf("CREATE", applicationObject({})), new Set(["default"])),
    );
  });
});

describe("what a policy says and this version does not do is taken, with a warning", () => {
  const everyField = {
    resourceSelectors: [demo],
    rollout: { maxObjects: 1, stages: [{ name: "canary" }] },
    failover: { gracePeriod: "60s" },
    spreadConstraints: [{ topologyKey: "region", minGroups: 2 }],
    replicaScheduling: { mode: "Divided", rescheduling: { after: "5m" } },
  };
  const warnings = (object: KubeObject): string[] => {
    const judgement = judgeRequest(requestOf("CREATE", object), factsOf({ servedKinds: undefined }), NOW);
    expect(judgement.problems).toEqual([]);
    return judgement.warnings;
  };

  test("fields", () => {
    const fields = ["replicaScheduling.rescheduling without strategy Available or Aggregated"];
    const want = fields.map((field) => `spec.${field} is taken, but this version of Meridian does not carry it out`);
    expect(warnings(placementObject(everyField))).toEqual(want);
    expect(warnings(clusterPlacementObject(everyField))).toEqual(want);
    expect(warnings(placementObject({ resourceSelectors: [demo], suspend: true }))).toEqual([]);
  });
});

describe("an approval of a rollout", () => {
  const binding: KubeObject = {
    apiVersion: FEDERATION_API_VERSION,
    kind: "ResourceBinding",
    metadata: { name: "configmap.settings", namespace: "default" },
    spec: { resource: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "settings", uid: "u" } },
  };
  const approvedBy = (by: string, object: KubeObject): KubeObject => {
    const annotations = { [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify({ revision: 2, approvals: { canary: by } }) };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  const problems = (by: string, object: KubeObject): string[] => {
    const request = { ...requestOf("CREATE", approvedBy(by, object)), userInfo: { username: "alice" } };
    return judgeRequest(request, factsOf({}), NOW).problems.map(({ message }) => message);
  };

  test.each([applicationObject({}), binding])("is given in one's own name: $kind", (object) => {
    expect(problems("alice", object)).toEqual([]);
    expect(problems("bob", object)).toEqual([
      "stage canary is approved in the name of bob, and you are alice: approve it with `meridian rollout approve`",
    ]);
  });
});

describe("a request is refused with a word on what to change", () => {
  test.each<{ name: string; request: AdmissionRequest; facts?: Partial<AdmissionFacts>; want: RegExp }>([
    {
      name: "too many replicas",
      request: requestOf("CREATE", applicationObject({ replica: 101 })),
      want: /^spec\.replica: 101 is not within 1 to 100; set it to 100 or less, or let the platform widen/,
    },
    {
      name: "more than the namespace's own bound",
      request: requestOf("CREATE", applicationObject({ replica: 6 })),
      facts: { replicaBounds: { least: 0, most: 5 } },
      want: /set it to 5 or less/,
    },
    {
      name: "kubectl scale beyond the bound",
      request: {
        ...requestOf("UPDATE", {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "a" },
          spec: { replicas: 101 },
        }),
        subResource: "scale",
      },
      want: /^spec\.replicas: 101/,
    },
    {
      name: "a tenant's override beyond the bound",
      request: requestOf("CREATE", overrideObject({ replicas: 101 })),
      want: /^spec\.rules\[0\]\.replicas: 101/,
    },
    {
      name: "the same by a patch",
      request: requestOf("CREATE", patchObject({ op: "replace", path: "/spec/replicas", value: 101 })),
      want: /^spec\.rules\[0\]\.patches\[0\]\.value: 101/,
    },
    {
      name: "a tenant's policy that selects in another namespace",
      request: requestOf("CREATE", placementObject(selecting({ ...demo, namespace: "b" }))),
      want: /^spec\.resourceSelectors\[0\]\.namespace: a Placement of namespace default selects nothing in b; remove the field/,
    },
    {
      name: "a tenant's policy for objects of no namespace",
      request: requestOf("CREATE", placementObject(selecting({ apiVersion: "v1", kind: "PersistentVolume" }))),
      want: /PersistentVolume belongs to no namespace.*let the platform write a ClusterPlacement/,
    },
    {
      name: "a tenant's policy that selects by the labels of namespaces",
      request: requestOf("CREATE", placementObject(selecting({ ...demo, namespaceSelector: {} }))),
      want: /^spec\.resourceSelectors: remove namespaceSelector; it is for ClusterPlacement/,
    },
    {
      name: "a policy that names a namespace and labels of namespaces",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ ...demo, namespace: "a", namespaceSelector: {} })),
      ),
      want: /namespaceSelector: remove it or namespace/,
    },
    {
      name: "a policy that names a namespace of objects that belong to none",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "v1", kind: "PersistentVolume", namespace: "a" })),
      ),
      want: /^spec\.resourceSelectors\[0\]\.namespace: PersistentVolume belongs to no namespace, so this selects nothing; remove/,
    },
    {
      name: "a policy that selects them by the labels of namespaces",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "v1", kind: "PersistentVolume", namespaceSelector: {} })),
      ),
      want: /^spec\.resourceSelectors\[0\]\.namespaceSelector: PersistentVolume belongs to no namespace/,
    },
    {
      name: "a kind that is never placed",
      request: requestOf("CREATE", clusterPlacementObject(selecting({ apiVersion: "v1", kind: "Namespace" }))),
      want: /^spec\.resourceSelectors\[0\]\.kind: Namespace cannot be placed: Meridian makes the namespaces on members/,
    },
    {
      name: "a kind that is never placed, in an override",
      request: requestOf("CREATE", {
        ...overrideObject({ replicas: 2 }),
        spec: { ...selecting({ apiVersion: "v1", kind: "Event" }), rules: [{ replicas: 2 }] },
      }),
      want: /^spec\.resourceSelectors\[0\]\.kind: Event cannot be placed: it tells what happened in one cluster/,
    },
    {
      name: "all webhook configurations",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(
          selecting({ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" }),
        ),
      ),
      facts: { servedKinds: undefined },
      want: /^spec\.resourceSelectors\[0\]\.name: say which ValidatingWebhookConfiguration is meant/,
    },
    {
      name: "a kind of which the hub keeps no objects",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "example.com/v1", kind: "Question" })),
      ),
      want: /\.kind: Question cannot be listed and watched on the hub, so it cannot be placed$/,
    },
    {
      name: "declared dependencies of objects that have no namespace",
      request: requestOf(
        "CREATE",
        clusterPlacementObject({
          ...selecting({ apiVersion: "example.com/v1", kind: "Region" }),
          dependencies: { fields: [{ kind: "Secret", path: "spec.secretName" }] },
        }),
      ),
      facts: { servedKinds: [{ group: "example.com", version: "v1", kind: "Region", namespaced: false }] },
      want: /^spec\.dependencies\.fields: objects of Region have no namespace.*remove the fields$/,
    },
    {
      name: "an expression of health that cannot be read",
      request: requestOf(
        "CREATE",
        placementObject({ resourceSelectors: [demo], health: [{ kind: "MysqlCluster", available: "object.status." }] }),
      ),
      want: /^spec\.health\[0\]\.available: column 15: /,
    },
    {
      name: "an expression of health that is neither true nor false",
      request: requestOf(
        "CREATE",
        clusterPlacementObject({
          resourceSelectors: [demo],
          health: [
            { kind: "Deployment", available: "true" },
            { kind: "MysqlCluster", failed: "'yes'" },
          ],
        }),
      ),
      want: /^spec\.health\[1\]\.failed: it is a string, and must be true or false$/,
    },
    {
      name: "a version that is not served",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "apps/v1beta1", kind: "Deployment" })),
      ),
      want: /\.apiVersion: the hub does not serve Deployment in apps\/v1beta1; write apps\/v1$/,
    },
    {
      name: "a kind that another group has",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "extensions/v1", kind: "Deployment" })),
      ),
      want: /\.kind: .* did you mean apiVersion apps\/v1\?$/,
    },
    {
      name: "a kind that is nowhere",
      request: requestOf("CREATE", placementObject(selecting({ apiVersion: "example.com/v1", kind: "Gadget" }))),
      want: /check the spelling, or install its CRD/,
    },
    {
      name: "a patch of a label that is Meridian's",
      request: requestOf(
        "CREATE",
        patchObject({ op: "remove", path: "/metadata/labels/federation.paas.cmft.com~1managed-by" }),
      ),
      want: /\.path: .* is protected/,
    },
    {
      name: "one that is moved away",
      request: requestOf(
        "CREATE",
        patchObject({
          op: "move",
          from: "/metadata/annotations/federation.paas.cmft.com~1owner",
          path: "/metadata/annotations/x",
        }),
      ),
      want: /\.from: .* is protected/,
    },
    {
      name: "one that comes with a whole map, from the platform too",
      request: requestOf(
        "CREATE",
        clusterOverrideObject({
          patches: [{ op: "add", path: "/metadata/labels", value: { "federation.paas.cmft.com/managed-by": "x" } }],
        }),
      ),
      want: /\.value: federation\.paas\.cmft\.com\/managed-by is protected.*remove it/,
    },
    {
      name: "a node port that is taken on a cluster where it would run",
      request: requestOf("CREATE", withPort()),
      facts: {
        applicationsWithNodePort: () => [other],
        placements: [everywhere],
        clusters: [cluster("a"), cluster("b")],
      },
      want: /^spec\.ports\[0\]\.nodePort: 30002\/TCP is taken on cluster a by DemoApplication default\/theirs; choose another/,
    },
    {
      name: "a cluster at a metadata address",
      request: requestOf("CREATE", kubeconfig),
      facts: { endpoint: () => ({ kind: "Server", server: "https://169.254.169.254" }) },
      want: /^spec\.connection\.kubeconfigSecretRef: the server of its kubeconfig: .*write the address of the cluster's API server/,
    },
    {
      name: "the deletion of a member with objects, without a word",
      request: requestOf("DELETE", clusterObject({}, "a")),
      facts: { applicationsOn: () => ["1", "2", "3", "4"].map((name) => applicationFactsOf(name)) },
      want: /^spec\.deletionPolicy: DemoApplications default\/1, default\/2, default\/3 and 1 more are placed on a; .*Drain.*Orphan/,
    },
    {
      name: "the deletion of what is protected",
      request: requestOf("DELETE", labelled(placementObject({}), { [PROTECTION]: "yes" })),
      want: /kubectl label placement subject -n default paas\.cmft\.com\/deletion-protection-$/,
    },
    {
      name: "the deletion of a namespace with something protected in it",
      request: requestOf("DELETE", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }),
      facts: { protectedIn: () => [applicationFactsOf("kept")] },
      want: /default\/kept in it is protected/,
    },
  ])("$name", ({ request, facts, want }) => expect(said(request, facts)).toMatch(want));

  test.each(BAD_OBJECTS.map(({ name, object, field }) => ({ name, object, field })))(
    "the schema's refusal of $name, before the server shows a pattern",
    ({ object, field }) => {
      const fields = judgeShape(requestOf("CREATE", object)).problems.map((problem) => problem.field);
      expect(
        fields.some((one) => one.startsWith(field) || field.startsWith(one)),
        fields.join(),
      ).toBe(true);
    },
  );
});

describe("a request is let through", () => {
  test.each<{ name: string; request: AdmissionRequest; facts?: Partial<AdmissionFacts> }>([
    { name: "100 replicas", request: requestOf("CREATE", applicationObject({ replica: 100 })) },
    {
      name: "a version that the hub does not know of now",
      request: requestOf("CREATE", placementObject(selecting({ apiVersion: "x/v1", kind: "Y" }))),
      facts: { servedKinds: undefined },
    },
    {
      name: "the platform's override beyond a tenant's bound",
      request: requestOf("CREATE", clusterOverrideObject({ replicas: 500 })),
    },
    {
      name: "the platform's policy that selects in any namespace",
      request: requestOf("CREATE", clusterPlacementObject(selecting({ ...demo, namespace: "b" }))),
    },
    {
      name: "the platform's policy that selects by the labels of namespaces",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ ...demo, namespaceSelector: { matchLabels: { team: "shop" } } })),
      ),
    },
    {
      name: "any kind that can be followed",
      request: requestOf("CREATE", placementObject(selecting({ apiVersion: "example.com/v1", kind: "Answer" }))),
    },
    {
      name: "one webhook configuration",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(
          selecting({
            apiVersion: "admissionregistration.k8s.io/v1",
            kind: "ValidatingWebhookConfiguration",
            name: "a",
          }),
        ),
      ),
      facts: { servedKinds: undefined },
    },
    {
      name: "a test of a protected label",
      request: requestOf(
        "CREATE",
        patchObject({ op: "test", path: "/metadata/labels/federation.paas.cmft.com~1managed-by", value: "x" }),
      ),
    },
    {
      name: "declared dependencies of a policy that also selects objects without a namespace",
      request: requestOf(
        "CREATE",
        clusterPlacementObject({
          resourceSelectors: [demo, { apiVersion: "example.com/v1", kind: "Region" }],
          dependencies: { fields: [{ kind: "Secret", path: "spec.secretName" }] },
        }),
      ),
      facts: {
        servedKinds: [
          { group: "example.com", version: "v1", kind: "Region", namespaced: false },
          { group: "paas.cmft.com", version: "v1", kind: "DemoApplication", namespaced: true },
        ],
      },
    },
    {
      name: "the same node port on another cluster",
      request: requestOf("CREATE", withPort()),
      facts: { applicationsWithNodePort: () => [other], placements: [everywhere], clusters: [cluster("b")] },
    },
    {
      name: "the same node port of another protocol",
      request: requestOf("CREATE", withPort("UDP")),
      facts: { applicationsWithNodePort: () => [other], placements: [everywhere], clusters: [cluster("a")] },
    },
    {
      name: "a node port of its own",
      request: requestOf("UPDATE", { ...withPort(), metadata: { name: "theirs", namespace: "default" } }),
      facts: { applicationsWithNodePort: () => [other], placements: [everywhere], clusters: [cluster("a")] },
    },
    {
      name: "a node port without a placement",
      request: requestOf("CREATE", withPort()),
      facts: { applicationsWithNodePort: () => [other], clusters: [cluster("a")] },
    },
    { name: "the deletion of an empty member", request: requestOf("DELETE", clusterObject({}, "a")) },
    {
      name: "the deletion of a member with a word",
      request: requestOf("DELETE", clusterObject({ deletionPolicy: "Orphan" }, "a")),
      facts: { applicationsOn: () => [applicationFactsOf("a")] },
    },
    {
      name: "the deletion of what is protected no more",
      request: requestOf("DELETE", labelled(placementObject({}), { [PROTECTION]: "false" })),
    },
    {
      name: "a status",
      request: { ...requestOf("UPDATE", applicationObject({ replica: 999 })), subResource: "status" },
    },
    {
      name: "an object that is being deleted",
      request: requestOf("UPDATE", {
        ...applicationObject({ replica: 999 }),
        metadata: { name: "a", deletionTimestamp: "2026-11-21T00:00:00Z" },
      }),
    },
    {
      name: "a kind that is not ours",
      request: requestOf("CREATE", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }),
    },
  ])("$name", ({ request, facts }) => expect(said(request, facts)).toBe(""));

  test.each([...GOOD_OBJECTS])("$name, as far as its shape goes", ({ object }) => {
    expect(judgeShape(requestOf("CREATE", object)).problems).toEqual([]);
  });

  test.prop([anyApplication(), fc.nat(1000)])("an update that keeps what was wrong before", (object, most) => {
    const facts = { replicaBounds: { least: 0, most } };
    expect(said(requestOf("UPDATE", labelled(object, { tier: "web" }), object), facts)).toBe("");
  });
});

test("a Secret that is not there yet, and bounds that cannot be read, are warned of and refuse nothing", () => {
  const missing = factsOf({ endpoint: () => ({ kind: "Missing", secret: "a" }) });
  expect(judgeRequest(requestOf("CREATE", kubeconfig), missing, NOW)).toEqual({
    problems: [],
    warnings: [expect.stringContaining("Secret a is not in Meridian's namespace yet")],
  });
  const unreadable = factsOf({ unreadableBounds: "many" });
  expect(judgeRequest(requestOf("CREATE", applicationObject({})), unreadable, NOW)).toEqual({
    problems: [],
    warnings: [expect.stringContaining('"many"')],
  });
});

test("a class that no manager can have is refused, but where it stands already", () => {
  const named = (name: string, object = applicationObject({})): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { "federation.paas.cmft.com/controller-class": name } },
  });
  const field = "metadata.labels[federation.paas.cmft.com/controller-class]";
  expect(judgeShape(requestOf("CREATE", named("V2"))).problems).toEqual([
    { field, message: expect.stringMatching(/^V2 is no class: it looks like v2/) as string },
  ]);
  expect(judgeShape(requestOf("CREATE", named("v2"))).problems).toEqual([]);
  expect(judgeShape(requestOf("UPDATE", named("V2"), named("V2"))).problems).toEqual([]);
});

describe("defaulting", () => {
  const DEFAULT = new Set(["default"]);
  const finalizers = (object: KubeObject, classes = DEFAULT) =>
    defaultsOf(requestOf("CREATE", object), classes).map(({ value }) => value);

  test("sets the manager's finalizer at creation, beside those that are there", () => {
    expect(finalizers(applicationObject({}))).toEqual([["federation.paas.cmft.com/member-objects"]]);
    expect(finalizers(clusterObject({}))).toEqual([["federation.paas.cmft.com/member-cluster"]]);
    const mine = { ...applicationObject({}), metadata: { name: "a", finalizers: ["a/b"] } };
    expect(finalizers(mine)).toEqual([["a/b", "federation.paas.cmft.com/member-objects"]]);
  });

  test("of several releases is done by the one that serves the object's class, and by no other", () => {
    const ofV2 = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, labels: { "federation.paas.cmft.com/controller-class": "v2" } },
    });
    expect(finalizers(ofV2(applicationObject({})))).toEqual([]);
    expect(finalizers(ofV2(applicationObject({})), new Set(["v2"]))).toEqual([
      ["federation.paas.cmft.com/member-objects.v2"],
    ]);
    expect(finalizers(ofV2(clusterObject({})), new Set(["v2"]))).toEqual([
      ["federation.paas.cmft.com/member-cluster.v2"],
    ]);
    expect(finalizers(applicationObject({}), new Set(["v2"]))).toEqual([]);
  });

  test("leaves alone what has it, what is no creation and what has no finalizer", () => {
    const done = {
      ...applicationObject({}),
      metadata: { name: "a", finalizers: ["federation.paas.cmft.com/member-objects"] },
    };
    expect(finalizers(done)).toEqual([]);
    expect(finalizers(placementObject({}))).toEqual([]);
    expect(defaultsOf(requestOf("UPDATE", applicationObject({})), DEFAULT)).toEqual([]);
    expect(defaultsOf({ ...requestOf("CREATE", applicationObject({})), subResource: "status" }, DEFAULT)).toEqual([]);
  });
});

describe("a policy that makes too much of its objects", () => {
  const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
  const copies = (from: number, to: number): object[] =>
    times(to - from, (n) => ({
      op: "copy",
      kind: "Deployment",
      from: "/spec/template",
      path: `/spec/template/c${from + n}`,
    }));
  const doubling = [{ patches: copies(0, 30) }];
  const policyOf = (rules: object[]): KubeObject => ({
    ...overrideObject({}),
    spec: { resourceSelectors: [demo], rules },
  });
  const on = (name: string, rule: object): object => ({ targetClusters: { clusterNames: [name] }, ...rule });

  test.each([
    { what: "by a template that is copied into itself", rules: doubling, field: "spec.rules[0]" },
    {
      what: "by rules that meet on one cluster",
      rules: [
        on("a", { patches: copies(0, 12) }),
        on("b", { patches: copies(12, 14) }),
        on("a", { patches: copies(14, 28) }),
      ],
      field: "spec.rules[2]",
    },
    {
      what: "by a value of 9,000 levels",
      rules: [
        {
          patches: [
            { op: "add", path: "/spec/deep", value: JSON.parse(`${"[".repeat(9_000)}${"]".repeat(9_000)}`) as unknown },
          ],
        },
      ],
      field: "spec.rules[0].patches[0].value",
    },
  ])("is refused: $what", ({ rules, field }) => {
    const request = requestOf("CREATE", policyOf(rules));
    const { problems } = judgeRequest(request, factsOf({ clusters: [cluster("a"), cluster("b")] }), NOW);
    expect(problems).toMatchObject([{ field, message: expect.stringMatching(/levels|bytes|fields/) }]);
  });

  test("is refused for what it makes of an object that it selects", () => {
    const large = applicationObject({ env: times(200, (n) => ({ name: `V${n}`, value: "x".repeat(1_000) })) });
    const policy = policyOf([{ patches: copies(0, 8) }]);
    expect(said(requestOf("CREATE", policy))).toBe("");
    expect(said(requestOf("CREATE", policy), { selectedBy: () => [large] })).toMatch(
      /spec.rules\[0\]: patch \d on Deployment/,
    );
  });

  test("is let through where its rules never meet, and where a path is for another object to have", () => {
    const rules = [
      on("a", { patches: copies(0, 12) }),
      on("b", { patches: copies(0, 12) }),
      { patches: [{ op: "remove", path: "/spec/none" }] },
    ];
    expect(said(requestOf("CREATE", policyOf(rules)), { clusters: [cluster("a"), cluster("b")] })).toBe("");
  });

  test("that was stored before the bound was is mended, and deleted", () => {
    const before = policyOf(doubling);
    expect(said(requestOf("UPDATE", policyOf([{ labels: { a: "b" } }]), before))).toBe("");
    expect(said(requestOf("DELETE", before))).toBe("");
  });
});
