import { expect } from "vitest";
import { FEDERATION_API_VERSION, type KubeObject, type ResourceBinding } from "../../src/apis/index.ts";
import { eventually, kubectl } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";
import { writtenPath } from "./sentObjects.ts";

/** Objects that an API server takes with several entries of one key, and what of them can be sent. */

/** Each with what the pods of its copy have, or why there is none. */
function twiceWritten(namespace: string): { object: KubeObject; want: object | string }[] {
  const [one, two] = [
    { name: "A", value: "1" },
    { name: "A", value: "2" },
  ];
  const alias = (...hostnames: string[]) => ({ ip: "10.1.2.3", hostnames });
  return [
    {
      object: deployment(namespace, "equal", {
        env: [one, one],
        ports: [{ containerPort: 80 }, { containerPort: 80 }],
      }),
      want: { containers: [{ env: [one], ports: [{ containerPort: 80, protocol: "TCP" }] }] },
    },
    {
      object: deployment(namespace, "last", { env: [one, two] }),
      want: { containers: [{ env: [two] }] },
    },
    {
      object: deployment(namespace, "pods", {}, { hostAliases: [alias("a"), alias("b")] }),
      want: { hostAliases: [alias("a", "b")] },
    },
    {
      object: deployment(namespace, "refused", {
        ports: [
          { containerPort: 80, name: "a" },
          { containerPort: 80, name: "b" },
        ],
      }),
      want: "spec.template.spec.containers[web].ports: two entries for 80/TCP differ",
    },
  ];
}

/** By kubectl with that verb, as objects and in a bundle. */
export async function expectSentOnce(federation: Federation, cluster: string, verb: string): Promise<void> {
  const plain = `twice-${verb}`;
  const bundled = `${plain}-bundled`;
  for (const name of [plain, bundled]) await kubectl(federation.hub, ["create", "namespace", name]);
  for (const one of [policyFor(plain, "Deployment"), policyFor(bundled, "ManifestBundle")]) await federation.apply(one);
  const cases = twiceWritten(plain);
  const objects = cases.map(({ object }) => object);
  await written(federation, objects, verb);
  const sent = cases.filter(({ want }) => typeof want !== "string");
  const manifests = sent.map(({ object: { metadata, ...rest } }) => ({
    ...rest,
    metadata: { name: metadata.name },
  }));
  const bundle = {
    apiVersion: FEDERATION_API_VERSION,
    kind: "ManifestBundle",
    metadata: { name: "all", namespace: bundled },
  };
  await written(federation, [{ ...bundle, spec: { manifests } }], verb);
  const member = federation.memberApi(cluster);
  const entryOf = async (name: string) => {
    const path = `/apis/${FEDERATION_API_VERSION}/namespaces/${plain}/resourcebindings/deployment.apps.${name}`;
    return (await federation.api.get<ResourceBinding>(path)).status?.clusters?.[0];
  };
  await eventually(
    async () => {
      for (const { object, want } of sent)
        for (const namespace of [plain, bundled]) {
          const there = await member.get(writtenPath({ ...object, metadata: { ...object.metadata, namespace } }));
          expect(there).toMatchObject({ spec: { template: { spec: want } } });
          if (namespace === plain)
            expect(await entryOf(object.metadata.name)).toMatchObject({ reason: "DuplicateEntries" });
        }
      for (const { object, want } of cases.filter((one) => !sent.includes(one))) {
        expect(await entryOf(object.metadata.name)).toMatchObject({ state: "Failed", reason: "DuplicateEntries" });
        expect((await entryOf(object.metadata.name))?.message).toContain(want);
      }
    },
    { timeout: 60_000, message: "each is sent as far as it can be" },
  );
}

async function written({ hub }: Federation, items: KubeObject[], verb: string): Promise<void> {
  await kubectl(hub, [verb, "-f", "-"], { stdin: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
}

/** A policy of the namespace for the objects of one kind. */
export function policyFor(namespace: string, kind: "ConfigMap" | "Deployment" | "ManifestBundle"): KubeObject {
  const apiVersion = { ConfigMap: "v1", Deployment: "apps/v1", ManifestBundle: FEDERATION_API_VERSION }[kind];
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind: "Placement",
    metadata: { name: kind.toLowerCase(), namespace },
    spec: { resourceSelectors: [{ apiVersion, kind }] },
  };
}

export function deployment(namespace: string, name: string, container: object, spec: object = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "web", image: "nginx:1.27", ...container }], ...spec },
      },
    },
  };
}
