import { describe, expect, test } from "vitest";
import { canonicalJson, type KubeObject, type OverridePolicy, type Placement, sameValue } from "../../apis/index.ts";
import type { Snapshot } from "../snapshot.ts";
import { app, hub, NOW, overrides, placement, shanghai, singapore, snapshot } from "../testing/builders.ts";
import { isSameObject, madeOfRevision, type RevisionContent, revisionOf, snapshotOfRevision } from "./revision.ts";
import { computeTarget } from "./target.ts";

const ROLLOUT = placement("p", { rollout: {} });
const SETTINGS = "/ConfigMap/default/settings";

const configMap = (name: string, value: string, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", uid: `uid-of-${name}`, resourceVersion: "7", ...metadata },
  data: { value },
});

interface Moment {
  object?: KubeObject;
  policy?: Placement;
  overrides?: OverridePolicy[];
  configMaps?: KubeObject[];
}

function moment({ object = app(), policy = ROLLOUT, overrides: rules = [], configMaps = [] }: Moment): Snapshot {
  return snapshot({
    object,
    clusters: [shanghai, singapore],
    placements: [policy],
    overrides: rules,
    dependencies: new Map(configMaps.map((one) => [`/ConfigMap/default/${one.metadata.name}`, one])),
  });
}

function contentOf(what: Moment = {}): RevisionContent {
  const given = moment(what);
  const content = revisionOf(given, computeTarget(given, NOW), what.policy ?? ROLLOUT);
  if (content === undefined) throw new Error("nothing is rolled out");
  return content;
}

const readsSettings = { envFrom: [{ configMapRef: { name: "settings" } }] };
const withSettings = app(readsSettings);

/** A ConfigMap that a person wrote, placed as it is. */
const plain = (more: Partial<KubeObject["metadata"]> = {}, data: object = { value: "1" }): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "plain",
    namespace: "default",
    uid: "22222222-2222-2222-2222-222222222222",
    managedFields: [
      {
        manager: "kubectl",
        operation: "Apply",
        apiVersion: "v1",
        time: "2026-11-22T08:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:value": {} } },
      },
      {
        manager: "controller",
        operation: "Update",
        apiVersion: "v1",
        subresource: "status",
        fieldsType: "FieldsV1",
        fieldsV1: {},
      },
    ],
    ...more,
  },
  data,
});
const placesConfigMaps = placement("p", { rollout: {}, resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }] });
const plainContent = (object: KubeObject): RevisionContent => contentOf({ object, policy: placesConfigMaps });

describe("a revision holds", () => {
  test("the object as people wrote it, without its status and what the server keeps about it", () => {
    const object = {
      ...app(
        {},
        {
          resourceVersion: "12",
          generation: 3,
          creationTimestamp: "2026-11-22T08:00:00Z",
          labels: { team: "web" },
          annotations: { "example.com/owner": "web", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
          managedFields: [],
        },
      ),
      status: { observedGeneration: 3 },
    };
    expect(contentOf({ object }).object).toStrictEqual({
      ...app(),
      metadata: {
        name: "nginx-demo",
        namespace: "default",
        labels: { team: "web" },
        annotations: { "example.com/owner": "web" },
      },
    });
  });

  test("of a plain object who owns which field, but not when they wrote, and nothing about its status", () => {
    const { managedFields } = plainContent(plain()).object.metadata;
    expect(managedFields).toStrictEqual([
      {
        manager: "kubectl",
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:value": {} } },
      },
    ]);
  });

  test("the ConfigMaps that go along by name, as people wrote them, and no other one", () => {
    const object = app({ envFrom: ["settings", "colours"].map((name) => ({ configMapRef: { name } })) });
    const configMaps = ["settings", "colours", "unused"].map((name) => configMap(name, "1"));
    const content = contentOf({ object, configMaps });
    expect(content.configMaps?.map(({ metadata, data }) => [metadata, data])).toEqual([
      [{ name: "colours", namespace: "default" }, { value: "1" }],
      [{ name: "settings", namespace: "default" }, { value: "1" }],
    ]);
    expect(contentOf({ configMaps })).not.toHaveProperty("configMaps");
  });

  test.each([
    { what: "is suspended", policy: placement("p", { rollout: {}, suspend: true }) },
    {
      what: "comes to no cluster",
      policy: placement("p", { rollout: {}, clusterAffinities: [{ name: "g", clusterNames: ["nowhere"] }] }),
    },
  ])("nothing while the object $what", ({ policy }) => {
    const given = moment({ policy });
    expect(revisionOf(given, computeTarget(given, NOW), policy)).toBeUndefined();
  });
});

describe("a change", () => {
  const changes: { what: string; to: Moment; is: "another revision" | "the same revision" }[] = [
    { what: "of the image", to: { object: app({ image: "nginx:2" }) }, is: "another revision" },
    { what: "of a label", to: { object: app({}, { labels: { team: "web" } }) }, is: "another revision" },
    { what: "of an annotation", to: { object: app({}, { annotations: { note: "x" } }) }, is: "another revision" },
    {
      what: "of an annotation that stays on the hub",
      to: { object: app({}, { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } }) },
      is: "the same revision",
    },
    { what: "of an override", to: { overrides: [overrides("o", { replicas: 3 })] }, is: "another revision" },
    {
      what: "of where it runs",
      to: {
        policy: placement("p", { rollout: {}, clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1"] }] }),
      },
      is: "another revision",
    },
    { what: "of the policy's name", to: { policy: placement("other", { rollout: {} }) }, is: "the same revision" },
    {
      what: "of how it is rolled out",
      to: { policy: placement("p", { rollout: { maxObjects: 2 } }) },
      is: "the same revision",
    },
  ];
  test.each(changes)("$what is $is", ({ to, is }) => {
    const same = sameValue(madeOfRevision(contentOf(to)), madeOfRevision(contentOf()));
    expect(same ? "the same revision" : "another revision").toBe(is);
  });

  test("of a ConfigMap that goes along is another revision of the same object", () => {
    const [one, two] = ["1", "2"].map((value) =>
      contentOf({ object: withSettings, configMaps: [configMap("settings", value)] }),
    ) as [RevisionContent, RevisionContent];
    expect(madeOfRevision(one)).not.toEqual(madeOfRevision(two));
    expect(isSameObject(one, two)).toBe(true);
    expect(isSameObject(one, contentOf({ object: app({ ...readsSettings, image: "nginx:2" }) }))).toBe(false);
  });
});

describe("from a revision", () => {
  test("the same is made once more, whatever has changed since", () => {
    const then: Moment = {
      object: withSettings,
      overrides: [overrides("red", { replicas: 3 })],
      configMaps: [configMap("settings", "1")],
    };
    const now: Moment = {
      object: app({ image: "nginx:2" }, { resourceVersion: "99", generation: 5 }),
      policy: placement("q", { rollout: {}, clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1"] }] }),
      overrides: [overrides("blue", { replicas: 8 })],
      configMaps: [configMap("settings", "2")],
    };
    const was = computeTarget(moment(then), NOW);
    const again = computeTarget(snapshotOfRevision(contentOf(then), moment(now)), NOW);
    const madeBy = ({ clusters }: typeof was) =>
      clusters.map(({ name, objects }) => [name, objects.map(({ object }) => object)]);
    expect(madeBy(again)).toEqual(madeBy(was));
    expect(madeBy(computeTarget(moment(now), NOW))).not.toEqual(madeBy(was));
  });

  test("which object it is says the object of now, whatever the revision names", () => {
    const { object, ...rest } = contentOf();
    const metadata = { ...object.metadata, name: "other", namespace: "theirs", uid: "forged" };
    const forged = { ...rest, object: { ...object, apiVersion: "v1", kind: "Secret", metadata } };
    const { apiVersion, kind, metadata: made } = snapshotOfRevision(forged, moment({})).object;
    expect({ apiVersion, kind, metadata: made }).toStrictEqual({
      ...{ apiVersion: app().apiVersion, kind: app().kind },
      metadata: { name: "nginx-demo", namespace: "default", uid: app().metadata.uid },
    });
    const older = { ...rest, object: { ...object, apiVersion: "paas.cmft.com/v1beta1" } };
    expect(snapshotOfRevision(older, moment({})).object.apiVersion).toBe("paas.cmft.com/v1beta1");
  });

  test("objects of others are taken over only where the policy of now says so, too", () => {
    const adopts = placement("p", { rollout: {}, conflictResolution: "Adopt" });
    const [then, now] = [contentOf({ policy: adopts }), moment({})];
    const resolved = (policy: Placement | undefined): string =>
      computeTarget(snapshotOfRevision(then, { ...now, choice: { placement: policy, passedOver: [] } }), NOW)
        .conflictResolution;
    expect([resolved(adopts), resolved(ROLLOUT), resolved(undefined)]).toEqual(["Adopt", "Abort", "Abort"]);
  });

  test("the clusters and all that it does not hold are those of now", () => {
    const other = configMap("other", "1");
    const now = { ...moment({ configMaps: [other, configMap("settings", "2")] }), clusters: [shanghai] };
    const content = contentOf({ object: withSettings, configMaps: [configMap("settings", "1")] });
    const { clusters, dependencies, choice, placements, recordedHashes } = snapshotOfRevision(content, now);
    expect(clusters).toEqual([shanghai]);
    expect(dependencies.get("/ConfigMap/default/other")).toBe(other);
    expect(dependencies.get(SETTINGS)?.["data"]).toEqual({ value: "1" });
    expect(choice).toStrictEqual({ placement: placements[0], passedOver: [] });
    expect(placements.map(({ metadata }) => metadata.name)).toEqual(["p"]);
    expect(recordedHashes).toBe(content.dependencyHashes);
  });
});

describe("what a cluster-scoped policy gave when the revision was made", () => {
  const ofAll = (name: string, ...patches: object[]): OverridePolicy => ({
    ...overrides(name, { patches: patches as never }),
    kind: "ClusterOverridePolicy",
    metadata: { name },
  });
  const patch = (path: string, value: unknown) => ({ kind: "Deployment", op: "add", path, value });
  const hostPid = patch("/spec/template/spec/hostPID", true);
  const admin = patch("/spec/template/spec/serviceAccountName", "admin");
  const labelled = patch("/metadata/labels/team", "platform");
  const made = (then: OverridePolicy[], now: OverridePolicy[]) =>
    computeTarget(snapshotOfRevision(contentOf({ overrides: then }), moment({ overrides: now })), NOW).clusters.map(
      ({ problem, objects }) => problem?.reason ?? objects[0]?.object.metadata.labels?.["team"] ?? "as it was",
    );

  test.each<[string, OverridePolicy[], OverridePolicy[], string]>([
    ["goes where the policy says the same still", [ofAll("p", hostPid)], [ofAll("p", hostPid)], "as it was"],
    ["goes where no right comes with it, and the policy is gone", [ofAll("p", labelled)], [], "platform"],
    ["does not go where the policy is gone", [ofAll("p", hostPid)], [], "PodSecurity"],
    ["does not go where the policy gives less now", [ofAll("p", hostPid, admin)], [ofAll("p", hostPid)], "NotAllowed"],
    [
      "does not go where a tenant's policy says it now",
      [ofAll("p", hostPid)],
      [overrides("p", { patches: [hostPid] as never })],
      "PodSecurity",
    ],
    [
      "does not go where the policy of now cannot be applied",
      [ofAll("p", hostPid)],
      [ofAll("p", hostPid, patch("/spec/no/such", 1))],
      "PodSecurity",
    ],
  ])("%s", (_name, then, now, want) => expect(made(then, now)).toEqual([want, want]));
});

const DATABASE = "/Secret/default/database";
const secret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "database", namespace: "default" },
  data: { password: "c2VjcmV0" },
};

function rolledOut(spec: object, isReadable: boolean, last?: RevisionContent): RevisionContent | undefined {
  const policy = placement("p", { rollout: {} });
  const given = snapshot({
    object: app({ envFrom: [{ secretRef: { name: "database" } }], ...spec }),
    clusters: [shanghai, hub],
    placements: [policy],
    ...(isReadable ? { dependencies: new Map([[DATABASE, secret]]) } : { unreadable: new Set([DATABASE]) }),
  });
  return revisionOf(given, computeTarget(given, NOW), policy, last);
}

const hashed = (content: RevisionContent | undefined) => content && canonicalJson(madeOfRevision(content));

test("a dependency that may not be read any more counts as what it was: the revision stays, and a change of the object is another one", () => {
  const last = rolledOut({}, true);
  expect(hashed(last)).toMatch(/./);
  expect(JSON.stringify(last)).not.toContain("c2VjcmV0");
  expect(hashed(rolledOut({}, false, last))).toBe(hashed(last));
  const changed = rolledOut({ image: "nginx:2" }, false, last);
  expect(changed?.dependencyHashes).toEqual(last?.dependencyHashes);
  const configMaps = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "default" } }];
  expect(last && rolledOut({}, false, { ...last, configMaps })?.configMaps).toEqual(configMaps);
  expect(hashed(changed)).not.toBe(hashed(last));
  expect(hashed(changed)).toBe(hashed(rolledOut({ image: "nginx:2" }, true)));
});

test("what never could be read is no revision", () => expect(rolledOut({}, false)).toBeUndefined());

test("what is suspended where it runs is no revision", () => {
  const policy = placement("p", { rollout: {} });
  const given = moment({ policy });
  expect(revisionOf(given, { ...computeTarget(given, NOW), suspended: true }, policy)).toBeUndefined();
});
