import { beforeAll, describe, expect, test } from "vitest";
import { bindingName, type KubeObject, type Placement, type ResourceBinding } from "../../src/apis/index.ts";
import { clusterPlacement, placement } from "../builders/index.ts";
import { type Api, eventually, meridian } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { objectPath } from "./objects.ts";

/** Versions of kinds that come and go on the hub and on a member, and policies that name one version or another. */

const SHANGHAI = "shanghai-1";
const GROUP = "example.com";

interface Version {
  name: string;
  served?: boolean;
  storage?: boolean;
}

/** In which order a version is taken out of service. */
const ORDERS = [
  { kind: "Anvil", first: "hub", storage: "before" },
  { kind: "Bellow", first: "hub", storage: "after" },
  { kind: "Chisel", first: "member", storage: "before" },
  { kind: "Drill", first: "member", storage: "after" },
] as const;
type Order = (typeof ORDERS)[number];

/** Removed while the member serves no version of the kind any more. */
const LOST = "Easel";

const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;

function definition(kind: string, ...versions: Version[]): KubeObject {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  const plural = pluralOf(kind);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: versions.map(({ name, served = true, storage = false }) => ({
        name,
        served,
        storage,
        schema,
        subresources: { status: {} },
      })),
    },
  };
}

const V1_ALONE: Version[] = [{ name: "v1", storage: true }];
const BOTH: Version[] = [{ name: "v1", storage: true }, { name: "v2" }];
const V2_STORED: Version[] = [{ name: "v1" }, { name: "v2", storage: true }];
const V2_ALONE: Record<Order["storage"], Version[]> = {
  before: [
    { name: "v1", served: false },
    { name: "v2", storage: true },
  ],
  after: [{ name: "v1", served: false, storage: true }, { name: "v2" }],
};

const federation = useFederation({
  hub: { kubelet: false },
  members: [{ name: SHANGHAI, region: "cn-shanghai" }],
  unjoined: [SHANGHAI],
});
let namespace: string;

beforeAll(async () => {
  namespace = await federation.namespace();
  const kinds = [...ORDERS.map(({ kind }) => kind), LOST];
  for (const kind of kinds) {
    await define(federation.api, kind, V1_ALONE);
    await define(member(), kind, V1_ALONE);
  }
  const { plane, region } = federation.member(SHANGHAI);
  const names = kinds.map((kind) => `${pluralOf(kind)}.${GROUP}`).join();
  const joining = ["join", SHANGHAI, "--member-kubeconfig", plane.kubeconfigFile, "--region", region];
  await eventually(
    async () => {
      const { code, stderr } = await meridian(federation.hub, [
        ...joining,
        "--kinds",
        `${names},CustomResourceDefinition,HorizontalPodAutoscaler`,
      ]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
    },
    { timeout: 60_000 },
  );
  await federation.untilMemberIs(SHANGHAI, "True");
});

const member = (): Api => federation.memberApi(SHANGHAI);

/** Returns once the versions are served, and those that went are not. */
async function define(api: Api, kind: string, versions: Version[]): Promise<void> {
  const crd = definition(kind, ...versions);
  await api.apply(objectPath("CustomResourceDefinition", undefined, crd.metadata.name), crd);
  await eventually(
    async () => {
      for (const { name, served = true } of versions) {
        const { status } = await api.request("GET", `/apis/${GROUP}/${name}/${pluralOf(kind)}`);
        expect(status).toBe(served ? 200 : 404);
      }
    },
    { timeout: 30_000 },
  );
}

const pathIn = (version: string, kind: string): string =>
  `/apis/${GROUP}/${version}/namespaces/${namespace}/${pluralOf(kind)}/sample`;

const sample = (kind: string, size: number, version = "v1"): KubeObject => ({
  apiVersion: `${GROUP}/${version}`,
  kind,
  metadata: { name: "sample", namespace },
  spec: { size },
});

async function report(version: string, kind: string, status: "True" | "False", reason: string): Promise<void> {
  const condition = { type: "Ready", status, reason, message: reason, lastTransitionTime: "2026-01-02T03:04:05Z" };
  await member().patch(`${pathIn(version, kind)}/status`, "merge", { status: { conditions: [condition] } });
}

async function entry(kind: string): Promise<unknown> {
  const ref = { apiVersion: `${GROUP}/v1`, kind, namespace, name: "sample" };
  const binding = await federation.api.find<ResourceBinding>(
    objectPath("ResourceBinding", namespace, bindingName(ref)),
  );
  const [first] = binding?.status?.clusters ?? [];
  return first;
}

const untilEntry = (kind: string, want: object): Promise<void> =>
  eventually(async () => expect(await entry(kind)).toMatchObject(want), {
    timeout: 40_000,
    message: `entry of ${kind}`,
  });

const untilSize = (kind: string, size: number): Promise<void> =>
  eventually(async () => expect((await member().get(pathIn("v2", kind)))["spec"]).toEqual({ size }), {
    timeout: 40_000,
    message: `size of ${kind}`,
  });

describe("a version that is taken out of service", () => {
  test.each(ORDERS)("on the $first first, stored anew $storage that", async ({ kind, first, storage }) => {
    const sides: [Api, Api] = first === "hub" ? [federation.api, member()] : [member(), federation.api];
    await federation.apply(
      clusterPlacement(kind.toLowerCase())
        .selects({ apiVersion: `${GROUP}/v1`, kind })
        .onClusters(SHANGHAI),
    );
    await federation.api.apply(pathIn("v1", kind), sample(kind, 1));
    await eventually(async () => expect(await member().find(pathIn("v1", kind))).toBeDefined());
    await report("v1", kind, "True", "First");
    await untilEntry(kind, { state: "Available" });

    for (const api of sides) await define(api, kind, BOTH);
    if (storage === "before") for (const api of sides) await define(api, kind, V2_STORED);
    await define(sides[0], kind, V2_ALONE[storage]);
    await report("v2", kind, "False", "Second");
    await untilEntry(kind, { state: "Progressing", message: expect.stringContaining("Second") });
    await federation.api.patch(pathIn("v2", kind), "merge", { spec: { size: 2 } });
    // The hub goes on with the other version at once; while the hub serves the version that the policy names, the member's lack of it is said.
    if (first === "hub") await untilSize(kind, 2);
    else await untilEntry(kind, { reason: "KindNotServed", message: expect.stringContaining(`${GROUP}/v2`) as string });

    await define(sides[1], kind, V2_ALONE[storage]);
    await report("v2", kind, "True", "Third");
    await untilEntry(kind, { state: "Available" });
    await untilSize(kind, 2);
    await federation.api.patch(pathIn("v2", kind), "merge", { spec: { size: 3 } });
    await untilSize(kind, 3);

    await federation.api.delete(pathIn("v2", kind));
    await eventually(
      async () => {
        expect(await member().find(pathIn("v2", kind))).toBeUndefined();
        expect(await federation.api.find(pathIn("v2", kind))).toBeUndefined();
      },
      { timeout: 40_000, message: "the deletion" },
    );
  });

  test("as the last one, on the member, is said, and holds no deletion once the definition is gone", async () => {
    const kind = LOST;
    await federation.apply(
      clusterPlacement(kind.toLowerCase())
        .selects({ apiVersion: `${GROUP}/v1`, kind })
        .onClusters(SHANGHAI),
    );
    await federation.api.apply(pathIn("v1", kind), sample(kind, 1));
    await eventually(async () => expect(await member().find(pathIn("v1", kind))).toBeDefined());
    await define(member(), kind, [{ name: "v1", served: false, storage: true }]);
    await untilEntry(kind, { reason: "KindNotServed" });
    await federation.api.delete(pathIn("v1", kind));
    await untilEntry(kind, { state: "Removing", reason: "KindNotServed" });
    await member().delete(objectPath("CustomResourceDefinition", undefined, `${pluralOf(kind)}.${GROUP}`));
    await eventually(async () => expect(await federation.api.find(pathIn("v1", kind))).toBeUndefined(), {
      timeout: 60_000,
    });
  });
});

describe("the version that a policy names", () => {
  const metrics = [
    { type: "Pods", pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "10" } } },
  ];
  const behavior = { scaleDown: { stabilizationWindowSeconds: 77 } };
  const name = "web";
  const ref = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name };
  const copy = () => member().find(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/${name}`);
  const bindingEntry = async () =>
    (await federation.api.find<ResourceBinding>(objectPath("ResourceBinding", namespace, bindingName(ref))))?.status
      ?.clusters?.[0];
  const select = (version: string): Promise<string> =>
    federation.kubectl(
      ["apply", "--server-side", "-f", "-"],
      JSON.stringify({
        ...placement("autoscalers")
          .selects({ apiVersion: `autoscaling/${version}`, kind: "HorizontalPodAutoscaler" })
          .onClusters(SHANGHAI)
          .object(),
        metadata: { name: "autoscalers", namespace },
      }),
    );

  test("is the one that is sent, says what it lacks, and takes effect at once when it is changed", async () => {
    await select("v1");
    const spec = {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 2,
      maxReplicas: 5,
      metrics,
      behavior,
    };
    const autoscaler = { apiVersion: "autoscaling/v2", kind: ref.kind, metadata: { name, namespace }, spec };
    await federation.kubectl(["apply", "-f", "-"], JSON.stringify(autoscaler));
    const message = expect.stringMatching(/autoscaling\/v1 lacks spec.*autoscaling\/v2/) as string;
    await eventually(
      async () => expect(await bindingEntry()).toMatchObject({ reason: "VersionLacksFields", message }),
      {
        timeout: 40_000,
      },
    );
    const policy = () => federation.api.get<Placement>(objectPath("Placement", namespace, "autoscalers"));
    await eventually(async () =>
      expect(conditionOf(await policy(), "Ready")).toMatchObject({ reason: "PartlyEnforced", message }),
    );
    expect((await copy())?.["spec"]).not.toHaveProperty("behavior");
    await select("v2");
    await eventually(async () => expect((await copy())?.["spec"]).toMatchObject({ metrics, behavior }));
    await eventually(async () => {
      expect((await bindingEntry())?.reason).not.toBe("VersionLacksFields");
      expect(conditionOf(await policy(), "Ready")).toMatchObject({ reason: "Applied" });
    });
  });
});
