import { expect } from "vitest";
import { FEDERATION_API_VERSION, type KubeObject } from "../../src/apis/index.ts";
import { eventually, kubectl } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";
import { writtenCollection, writtenPath } from "./sentObjects.ts";
import { deployment, policyFor } from "./twiceWritten.ts";

/** A ConfigMap that loses its own Placement while a Deployment needs it, and that an override selects. */
export async function expectToTravel(federation: Federation, cluster: string): Promise<void> {
  const namespace = "travels";
  await kubectl(federation.hub, ["create", "namespace", namespace]);
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace },
    data: { a: "1" },
  };
  const own = policyFor(namespace, "ConfigMap");
  for (const one of [policyFor(namespace, "Deployment"), own]) await federation.apply(one);
  for (const object of [settings, readingSettings(namespace)])
    await federation.api.create(writtenCollection(object), object);
  const dataIs = (data: object) =>
    eventually(
      async () => expect(await federation.memberApi(cluster).find(writtenPath(settings))).toMatchObject({ data }),
      { timeout: 60_000, message: "the copy is as the hub says" },
    );
  await dataIs({ a: "1" });
  await federation.remove(own);
  await federation.api.patch(writtenPath(settings), "merge", { data: { a: "2" } });
  await dataIs({ a: "2" });

  const resourceSelectors = [{ apiVersion: "v1", kind: "ConfigMap", name: "settings" }];
  const rules = [{ patches: [{ op: "add", path: "/data/b", value: "3" }] }];
  const override = { apiVersion: FEDERATION_API_VERSION, kind: "OverridePolicy", metadata: { name: "b", namespace } };
  await federation.apply({ ...override, spec: { resourceSelectors, rules } } as KubeObject);
  await dataIs({ a: "2", b: "3" });
  const path = `/apis/${FEDERATION_API_VERSION}/namespaces/${namespace}/overridepolicies/b`;
  await eventually(async () => expect(await federation.api.get(path)).toMatchObject({ status: { matchedObjects: 1 } }));
}

function readingSettings(namespace: string): KubeObject {
  const volumes = [{ name: "settings", configMap: { name: "settings" } }];
  return deployment(namespace, "reader", {}, { volumes });
}
