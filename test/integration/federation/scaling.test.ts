import { onTestFinished, test } from "vitest";
import { type ResourceSelector, sameValue } from "../../../src/apis/index.ts";
import { CRDS, OVERRIDEPOLICIES, PLACEMENTS } from "../../../src/runtime/index.ts";
import { overridePolicy, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { DATABASE_KIND, DATABASES } from "./objects.ts";

const SELECTS: ResourceSelector = { apiVersion: "db.test/v1", kind: "Database" };

async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  if (!federation.hub.has(CRDS, undefined, DATABASE_KIND.metadata.name)) await federation.hub.install(DATABASE_KIND);
  for (const { server } of federation.members.values()) await server.install(DATABASE_KIND);
  onTestFinished(() => federation.hub.empty(DATABASES));
  await federation.apply(PLACEMENTS, placement("databases").selects(SELECTS).divided());
  await federation.apply(DATABASES, {
    ...SELECTS,
    metadata: { name: "my-db", namespace: "default" },
    spec: { replicas: 3 },
  });
  return federation;
}

const replicas = (federation: TestFederation): unknown[] =>
  [...federation.members.values()].map(({ server }) => {
    const spec = server.find(DATABASES, "default", "my-db")?.["spec"] as { replicas?: number } | undefined;
    return spec?.replicas;
  });

test("a custom kind is divided and overridden by the scale subresource of its CRD", async () => {
  await using federation = await running();
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
