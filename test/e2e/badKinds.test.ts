import { describe, expect, test } from "vitest";
import {
  type ClusterStatusEntry,
  type Condition,
  type KubeObject,
  type ResourceBinding,
} from "../../src/apis/index.ts";
import { clusterPlacement } from "../builders/index.ts";
import { eventually } from "../envtest/index.ts";
import { conditionOf, useFederation, hasKubectl } from "./federation.ts";
import { collectionPath, objectPath } from "./objects.ts";

/** What is wrong with an object that is sent as it is stays with the cluster where it is wrong, which says what to do. */

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const BOTH = [SHANGHAI, SINGAPORE];
const GROUP = "example.com";
const KINDS = ["widgets", "gadgets"].map((plural) => `${plural}.${GROUP}`);

type Reported = KubeObject & { status?: { conditions?: Condition[] } };

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
  hub: { controllerManager: false },
  joinArgs: ["--kinds", KINDS.join(",")],
});

/** A definition whose objects hold anything, with these versions. */
function definition(kind: string, ...versions: string[]): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } },
      })),
    },
  } as KubeObject;
}

const CRDS = collectionPath("CustomResourceDefinition");

/** On the hub, and on members, where a person has installed it. Returns once the hub serves it. */
async function install(crd: KubeObject, members: readonly string[] = BOTH): Promise<void> {
  const { name } = crd.metadata;
  for (const member of members) await federation.memberApi(member).apply(`${CRDS}/${name}`, crd, "a-person");
  await federation.apply(crd);
  await eventually(async () =>
    expect(conditionOf(await federation.api.get<Reported>(`${CRDS}/${name}`), "Established")?.status).toBe("True"),
  );
}

const custom = (kind: string, namespace: string, name: string, spec: object, version = "v1"): KubeObject =>
  ({ apiVersion: `${GROUP}/${version}`, kind, metadata: { name, namespace }, spec }) as KubeObject;

const pathOfCustom = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s/${metadata.name}`;

/** A policy that sends a kind to both clusters, whatever the namespace. */
async function place(kind: string, apiVersion = `${GROUP}/v1`): Promise<void> {
  await federation.apply(
    clusterPlacement(`all-${kind.toLowerCase()}s`)
      .selects({ apiVersion, kind })
      .onClusters(...BOTH),
  );
}

async function entries(object: KubeObject): Promise<Record<string, ClusterStatusEntry>> {
  const { kind, metadata } = object;
  const group = object.apiVersion.includes("/") ? `.${object.apiVersion.split("/")[0]}` : "";
  const path = objectPath("ResourceBinding", metadata.namespace, `${kind.toLowerCase()}${group}.${metadata.name}`);
  const binding = await federation.api.find<ResourceBinding>(path);
  return Object.fromEntries((binding?.status?.clusters ?? []).map((entry) => [entry.name, entry]));
}

function untilEntries(object: KubeObject, want: Record<string, object>, timeout = 60_000) {
  return eventually(async () => expect(await entries(object)).toMatchObject(want), { timeout });
}

const onMember = (cluster: string, object: KubeObject): Promise<KubeObject | undefined> =>
  federation.memberApi(cluster).find(pathOfCustom(object));

/** What the hub sends is there: unlike its health, that is known of every kind. */
const applied = { observedHash: expect.any(String) as string };

describe("an object of a kind that policies send", () => {
  const tooLarge = [
    { copies: 2, whose: "Meridian", says: /may bring \d+ bytes/ },
    // The sandbox has no etcd.
    ...(hasKubectl() ? [{ copies: 1, whose: "etcd", says: /etcd takes no object of that size/ }] : []),
  ];
  test.each(tooLarge)(
    "that is too large for $whose on one cluster is named there and runs elsewhere",
    async (bound) => {
      const namespace = await federation.namespace();
      await install(definition("Widget", "v1"));
      await place("Widget");
      const big = custom("Widget", namespace, "big", { blob: "x".repeat(900_000) });
      // As overrides make it there.
      const patches = Array.from({ length: bound.copies }, (_, index) => ({
        op: "copy",
        from: "/spec/blob",
        path: `/spec/copy${index}`,
      }));
      await federation.apply({
        apiVersion: "federation.paas.cmft.com/v1alpha1",
        kind: "OverridePolicy",
        metadata: { name: "twice", namespace },
        spec: {
          resourceSelectors: [{ apiVersion: `${GROUP}/v1`, kind: "Widget" }],
          rules: [{ targetClusters: { clusterNames: [SINGAPORE] }, patches }],
        },
      } as KubeObject);
      await federation.api.apply(pathOfCustom(big), big);
      await untilEntries(big, {
        [SHANGHAI]: applied,
        [SINGAPORE]: { state: "Failed", reason: "TooLarge", message: expect.stringMatching(bound.says) },
      });
      expect(await onMember(SINGAPORE, big)).toBeUndefined();
      await federation.api.delete(objectPath("OverridePolicy", namespace, "twice"));
      await untilEntries(big, { [SHANGHAI]: applied, [SINGAPORE]: applied });
      await federation.api.delete(pathOfCustom(big));
    },
  );

  test("of a version that one cluster does not serve waits there, and goes on when it is served", async () => {
    const namespace = await federation.namespace();
    const old = definition("Gadget", "v1");
    await federation.memberApi(SINGAPORE).apply(`${CRDS}/${old.metadata.name}`, old, "a-person");
    await install(definition("Gadget", "v1", "v2"), [SHANGHAI]);
    await place("Gadget", `${GROUP}/v2`);
    const gadget = custom("Gadget", namespace, "new", { size: 1 }, "v2");
    await federation.api.apply(pathOfCustom(gadget), gadget);
    await untilEntries(gadget, {
      [SHANGHAI]: applied,
      [SINGAPORE]: { reason: "KindNotServed", message: expect.stringContaining(`Gadget of ${GROUP}/v2`) },
    });
    const both = definition("Gadget", "v1", "v2");
    await federation.memberApi(SINGAPORE).apply(`${CRDS}/${both.metadata.name}`, both, "a-person");
    await untilEntries(gadget, { [SINGAPORE]: applied });
    await federation.api.delete(pathOfCustom(gadget));
  });
});
