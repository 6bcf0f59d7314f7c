import { describe, expect, test } from "vitest";
import type { MemberCluster } from "../../apis/index.ts";
import { clusterSnapshot } from "./clusterSnapshot.ts";

const cluster = (metadata: Partial<MemberCluster["metadata"]>, spec: Partial<MemberCluster["spec"]>): MemberCluster =>
  ({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    metadata: { name: "shanghai-1", ...metadata },
    spec: { connection: { kubeconfigSecretRef: { name: "shanghai-1", key: "kubeconfig" } }, ...spec },
  }) as MemberCluster;

const REGION = "topology.kubernetes.io/region";
const ZONE = "topology.kubernetes.io/zone";
const taint = { key: "maintenance", effect: "NoExecute" } as const;
const bare = { name: "shanghai-1", labels: {}, taints: [], deleting: false, local: false };

test.each([
  { name: "is a name and nothing else where nothing else is known", of: cluster({}, {}), want: bare },
  {
    name: "has the region and the zone of its labels, beside the labels",
    of: cluster({ labels: { [REGION]: "cn-shanghai", [ZONE]: "cn-shanghai-a", tier: "edge" } }, {}),
    want: {
      ...bare,
      labels: { [REGION]: "cn-shanghai", [ZONE]: "cn-shanghai-a", tier: "edge" },
      region: "cn-shanghai",
      zone: "cn-shanghai-a",
    },
  },
  { name: "says who runs it", of: cluster({}, { provider: "own" }), want: { ...bare, provider: "own" } },
  {
    name: "says that it is the hub itself",
    of: cluster({}, { connection: { local: {} } }),
    want: { ...bare, local: true },
  },
  {
    name: "says that it is being deleted, once it is known what becomes of its objects",
    of: cluster({ deletionTimestamp: "2026-01-01T00:00:00Z" }, { deletionPolicy: "Drain" }),
    want: { ...bare, deleting: true },
  },
  {
    name: "says that nobody has said what becomes of its objects when it is deleted",
    of: cluster({ deletionTimestamp: "2026-01-01T00:00:00Z" }, {}),
    want: { ...bare, undecided: true },
  },
  {
    name: "says which namespaces it was joined for",
    of: cluster({}, { namespaces: ["bank", "shop"] }),
    want: { ...bare, namespaces: ["bank", "shop"] },
  },
  { name: "has its own taints", of: cluster({}, { taints: [taint] }), want: { ...bare, taints: [taint] } },
  {
    name: "says which parts of the API it serves",
    of: { ...cluster({}, {}), status: { apis: ["apps/v1", "v1"] } },
    want: { ...bare, apis: new Set(["apps/v1", "v1"]) },
  },
])("what is known of a cluster $name", ({ of, want }) => expect(clusterSnapshot(of)).toStrictEqual(want));

describe("whether a cluster is ready", () => {
  const ready = {
    type: "Ready",
    status: "False" as const,
    reason: "Unreachable",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:05Z",
  };
  const known = (status: MemberCluster["status"]) => clusterSnapshot({ ...cluster({}, {}), ...(status && { status }) });

  test("is known, and since when, once it has been seen", () => {
    const other = { ...ready, type: "Other", status: "True" as const };
    expect(known({ conditions: [other, ready] })).toStrictEqual({
      ...bare,
      ready: { status: "False", since: Date.UTC(2026, 0, 1, 0, 0, 5) },
    });
  });

  test.each([
    { name: "there is no status", status: undefined },
    { name: "there are no conditions", status: {} },
    { name: "another condition stands there", status: { conditions: [{ ...ready, type: "Other" }] } },
    { name: "the first contact is being made", status: { conditions: [{ ...ready, reason: "Connecting" }] } },
  ])("is not known where $name", ({ status }) => expect(known(status)).toStrictEqual(bare));
});
