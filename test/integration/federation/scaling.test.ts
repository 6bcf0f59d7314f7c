import { onTestFinished, test } from "vitest";
import { type KubeObject, type ResourceSelector, sameValue } from "../../../src/apis/index.ts";
import { CRDS, OVERRIDEPOLICIES, PLACEMENTS, type ResourceType } from "../../../src/runtime/index.ts";
import { overridePolicy, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const DATABASES: ResourceType = {
  group: "db.test",
  version: "v1",
  kind: "Database",
  plural: "databases",
  namespaced: true,
};
const SELECTS: ResourceSelector = { apiVersion: "db.test/v1", kind: "Database" };

const scaledBy = (specReplicasPath: string) => ({ specReplicasPath, statusReplicasPath: ".status.readyNodes" });

/** A kind that keeps its replicas where its CRD says. */
const crd: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "databases.db.test" },
  spec: {
    group: "db.test",
    scope: "Namespaced",
    names: { plural: "databases", singular: "database", kind: "Database" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        subresources: { status: {}, scale: scaledBy(".spec.replicas") },
      },
    ],
  },
};

const database = (spec: object): KubeObject => ({
  ...SELECTS,
  metadata: { name: "my-db", namespace: "default" },
  spec,
});

async function running(spec: object, policy = placement("databases").selects(SELECTS)): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  if (!federation.hub.has(CRDS, undefined, crd.metadata.name)) await federation.hub.install(crd);
  for (const { server } of federation.members.values()) await server.install(crd);
  onTestFinished(() => federation.hub.empty(DATABASES));
  await federation.apply(PLACEMENTS, policy);
  await federation.apply(DATABASES, database(spec));
  return federation;
}

const specOn = (federation: TestFederation, cluster: string): unknown =>
  federation.member(cluster).server.find(DATABASES, "default", "my-db")?.["spec"];
const specs = (federation: TestFederation): unknown[] =>
  ["shanghai", "singapore"].map((name) => specOn(federation, name));
const replicas = (federation: TestFederation): unknown[] =>
  specs(federation).map((spec) => (spec as { replicas?: number } | undefined)?.replicas);

test("a custom kind is divided and overridden by the scale subresource of its CRD", async () => {
  await using federation = await running({ replicas: 3 }, placement("databases").selects(SELECTS).divided());
  await federation.until(() => ["1,2", "2,1"].includes(replicas(federation).join()));
  // Which cluster gets the odd one depends on the object's name.
  const [, there] = replicas(federation);
  await federation.apply(
    OVERRIDEPOLICIES,
    overridePolicy("more").selects(SELECTS).onClusters(["shanghai"], { replicas: 5 }),
  );
  await federation.until(() => sameValue(replicas(federation), [5, there]));
  await federation.hub.merge(DATABASES, "default", "my-db", { spec: { replicas: 4 } });
  await federation.until(() => sameValue(replicas(federation), [5, 2]));
});

test("a CRD that names another field is followed", async () => {
  await using federation = await running({ replicas: 4, nodes: 2 }, placement("databases").selects(SELECTS).divided());
  await federation.until(() => sameValue(specs(federation), Array(2).fill({ nodes: 2, replicas: 2 })));
  const scaleAt = (path: string): Promise<KubeObject> =>
    federation.hub.edit(CRDS, undefined, crd.metadata.name, ({ spec }) => {
      const [version] = (spec as { versions: { subresources: { scale: object } }[] }).versions;
      if (version !== undefined) version.subresources.scale = scaledBy(path);
    });
  onTestFinished(async () => void (await scaleAt(".spec.replicas")));
  await scaleAt(".spec.nodes");
  await federation.until(() => sameValue(specs(federation), Array(2).fill({ nodes: 1, replicas: 4 })), 120_000);
});
