import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Health } from "../types.ts";
import {
  available,
  cases,
  condition,
  degraded,
  failed,
  judge,
  pending,
  progressing,
} from "../testing/workloadHealth.ts";

interface Counts {
  existing: number;
  updated: number;
  ready: number;
  available: number;
}

/** Status of the present generation, of three replicas by default. */
const status = ({ existing = 3, updated = 3, ready = 3, available: serving = 3 }: Partial<Counts> = {}, more = {}) => ({
  observedGeneration: 2,
  replicas: existing,
  updatedReplicas: updated,
  readyReplicas: ready,
  availableReplicas: serving,
  ...more,
});
const having = (...conditions: object[]): object => ({ conditions });
const replicas = (desired: number, updated: number, ready: number, serving: number): Health["replicas"] & {} => ({
  desired,
  updated,
  ready,
  available: serving,
});

const spec = { replicas: 3 };
const ENOUGH = condition("Available", "True", "MinimumReplicasAvailable");
const LATE = condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out");
const REFUSED = condition("ReplicaFailure", "True", "FailedCreate", 'pods "x" is forbidden: exceeded quota: q');
const DENIED = condition("ReplicaFailure", "True", "FailedCreate", "denied");

cases("apps/v1 Deployment", [
  ["nobody has seen it", { spec }, { ...pending, replicas: replicas(3, 0, 0, 0) }],
  ["settled", { spec, status: status() }, { ...available, replicas: replicas(3, 3, 3, 3) }],
  [
    "no replica asked for",
    { spec: { replicas: 0 }, status: { observedGeneration: 2 } },
    { ...available, replicas: replicas(0, 0, 0, 0) },
  ],
  [
    "one replica by default",
    { spec: {}, status: status({ existing: 1, updated: 1, ready: 0, available: 0 }) },
    progressing("PodsNotReady", "0 of 1 replica ready"),
  ],
  [
    "its pods are not all updated",
    { spec, status: status({ updated: 2 }) },
    progressing("RollingOut", "2 of 3 replicas updated", "Before"),
  ],
  [
    "an old pod is left",
    { spec, status: status({ existing: 4 }) },
    progressing("RollingOut", "1 old replica is still there", "Before"),
  ],
  [
    "a new pod is too many",
    { spec, status: status({ existing: 4, updated: 4 }) },
    progressing("RollingOut", "4 replicas are there, 3 asked for", "Now"),
  ],
  [
    "a pod is not ready",
    { spec, status: status({ ready: 2 }) },
    progressing("PodsNotReady", "2 of 3 replicas ready", "Now"),
  ],
  [
    "too few pods are available, and enough for its controller",
    { spec, status: status({ updated: 1, available: 2 }, having(ENOUGH)) },
    progressing("RollingOut", "1 of 3 replicas updated", "Before"),
  ],
  [
    "too few pods are available, also for its controller",
    { spec, status: status({ updated: 1 }, having(condition("Available", "False"))) },
    progressing("RollingOut"),
  ],
  [
    "its controller does not know if enough pods are available",
    { spec, status: status({ updated: 1 }, having(condition("Available", "Unknown"))) },
    progressing("RollingOut"),
  ],
  [
    "no pod is available, whatever its controller says",
    { spec, status: status({ ready: 0, available: 0 }, having(ENOUGH)) },
    progressing("PodsNotReady", "0 of 3 replicas ready"),
  ],
  [
    "the rollout timed out with nothing running",
    { spec, status: { observedGeneration: 2, ...having(LATE) } },
    failed("ProgressDeadlineExceeded", "timed out"),
  ],
  [
    "the rollout timed out while the old pods serve",
    { spec, status: status({ updated: 1, available: 1 }, having(LATE, ENOUGH)) },
    degraded("ProgressDeadlineExceeded", "timed out", "Before"),
  ],
  [
    "a quota refuses its pods, which says more than the deadline",
    { spec, status: { observedGeneration: 2, ...having(LATE, REFUSED) } },
    failed("QuotaExceeded", "exceeded quota: q"),
  ],
  [
    "a new pod is refused while old ones serve",
    { spec, status: status({ updated: 0 }, having(ENOUGH, DENIED)) },
    degraded("ReplicaFailure", "denied", "Before"),
  ],
  ["a pod was refused, and all are there", { spec, status: status({}, having(DENIED)) }, available],
  [
    "a pod is not ready, and none is refused any more",
    { spec, status: status({ ready: 2 }, having({ ...DENIED, status: "False" })) },
    progressing("PodsNotReady", "2 of 3 replicas ready", "Now"),
  ],
  [
    "paused",
    { spec: { ...spec, paused: true }, status: status({ updated: 2 }) },
    progressing("DeploymentPaused", "2 of 3 replicas updated", "Before"),
  ],
  [
    "paused after all pods were updated",
    { spec: { ...spec, paused: true }, status: status({ available: 2 }) },
    progressing("PodsNotReady", "2 of 3 replicas available"),
  ],
  [
    "paused, and late",
    { spec: { ...spec, paused: true }, status: status({ updated: 2 }, having(LATE)) },
    degraded("ProgressDeadlineExceeded", "timed out", "Before"),
  ],
  [
    "being deleted",
    { spec, metadata: { deletionTimestamp: "2026-11-21T13:00:00Z" }, status: status({}, having(ENOUGH)) },
    { ...progressing("Terminating"), replicas: replicas(3, 3, 3, 3) },
  ],
]);

cases("apps/v1 StatefulSet", [
  ["nobody has seen it", { spec }, { ...pending, replicas: replicas(3, 0, 0, 0) }],
  [
    "its pods are not all updated",
    { spec, status: status({ updated: 1 }) },
    progressing("RollingOut", "1 of 3 replicas updated", "Before"),
  ],
  [
    "a partition keeps two of three pods",
    { spec: { ...spec, updateStrategy: { rollingUpdate: { partition: 2 } } }, status: status({ updated: 1 }) },
    available,
  ],
  [
    "fewer pods are updated than the partition lets",
    {
      spec: { ...spec, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
      status: status({ updated: 1 }),
    },
    { ...progressing("RollingOut", "1 of 2 replicas updated", "Before"), replicas: replicas(3, 1, 3, 3) },
  ],
  [
    "people replace its pods",
    { spec: { ...spec, updateStrategy: { type: "OnDelete" } }, status: status({ updated: 0, ready: 2 }) },
    progressing("PodsNotReady", "2 of 3 replicas ready", "Now"),
  ],
  [
    "scales down",
    { spec, status: status({ existing: 4, updated: 4 }) },
    progressing("RollingOut", "4 replicas are there, 3 asked for", "Now"),
  ],
]);

const onNodes = (desired: number, updated: number, ready: number, serving: number) => ({
  observedGeneration: 2,
  desiredNumberScheduled: desired,
  updatedNumberScheduled: updated,
  numberReady: ready,
  numberAvailable: serving,
});
cases("apps/v1 DaemonSet", [
  ["nobody has seen it", {}, { ...pending, replicas: replicas(0, 0, 0, 0) }],
  ["there is no node", { status: { observedGeneration: 2 } }, available],
  [
    "its pods are not all updated",
    { status: onNodes(2, 1, 2, 2) },
    progressing("RollingOut", "1 of 2 replicas updated", "Before"),
  ],
  [
    "more pods are updated than nodes are there",
    { status: onNodes(1, 2, 1, 1) },
    progressing("RollingOut", "2 replicas are there, 1 asked for", "Now"),
  ],
  [
    "people replace its pods, one of which is not ready",
    { spec: { updateStrategy: { type: "OnDelete" } }, status: onNodes(2, 0, 1, 1) },
    { ...progressing("PodsNotReady", "1 of 2 replicas ready"), replicas: replicas(2, 0, 1, 1) },
  ],
]);

describe.each(["apps/v1 ReplicaSet", "v1 ReplicationController"])("pods that are not replaced", (kind) => {
  cases(kind, [
    ["nobody has seen it", { spec }, { ...pending, replicas: replicas(3, 0, 0, 0) }],
    [
      "settled, with pods of an earlier template",
      { spec, status: status({}, { fullyLabeledReplicas: 1 }) },
      { ...available, replicas: replicas(3, 1, 3, 3) },
    ],
    [
      "scales up",
      { spec, status: status({ existing: 2, updated: 0, ready: 2, available: 2 }) },
      { ...progressing("RollingOut", "2 of 3 replicas updated"), replicas: replicas(3, 2, 2, 2) },
    ],
    ["a pod was refused, and all are there", { spec, status: status({}, having(DENIED)) }, available],
    [
      "all pods are refused",
      { spec, status: { observedGeneration: 2, ...having(REFUSED) } },
      failed("QuotaExceeded", "exceeded quota: q"),
    ],
    [
      "pods are refused, and some serve",
      { spec, status: status({ existing: 1, ready: 1, available: 1 }, having(DENIED)) },
      degraded("ReplicaFailure", "denied"),
    ],
    [
      "pods are refused, and enough serve",
      { spec, status: status({ existing: 4 }, having(DENIED)) },
      degraded("ReplicaFailure", "denied", "Now"),
    ],
    [
      "a pod is not ready, and none is refused any more",
      { spec, status: status({ ready: 2 }, having({ ...DENIED, status: "False" })) },
      progressing("PodsNotReady", "2 of 3 replicas ready", "Now"),
    ],
  ]);
});

const some = fc.nat({ max: 4 });
const anyCounts = fc.record({ existing: some, updated: some, ready: some, available: some });

test.prop([anyCounts, some])(
  "a Deployment is Available when all of its pods are new and serve, and no other is there",
  (given, desired) => {
    const { existing, updated, ready, available: serving } = given;
    const isWhole = Math.min(updated, ready, serving) >= desired && existing <= Math.min(updated, desired);
    const found = judge("apps/v1 Deployment", { spec: { replicas: desired }, status: status(given) });
    const how = updated < desired || existing > updated ? "Before" : "Now";
    expect(found.state).toBe(isWhole ? "Available" : "Progressing");
    expect(found.serves).toBe(!isWhole && serving > 0 && serving >= desired ? how : undefined);
    expect(found.replicas).toStrictEqual(replicas(desired, updated, ready, serving));
  },
);

test.prop([anyCounts, some, fc.nat({ max: 5 })])(
  "a StatefulSet is Available when it has exactly its pods, all serve, and those above its partition are new",
  (given, desired, partition) => {
    const { existing, updated, ready, available: serving } = given;
    const isWhole = updated >= desired - partition && existing === desired && Math.min(ready, serving) >= desired;
    const found = judge("apps/v1 StatefulSet", {
      spec: { replicas: desired, updateStrategy: { rollingUpdate: { partition } } },
      status: status(given),
    });
    const how = updated < desired - partition ? "Before" : "Now";
    expect(found.state).toBe(isWhole ? "Available" : "Progressing");
    expect(found.serves).toBe(!isWhole && serving > 0 && serving >= desired ? how : undefined);
  },
);

test.prop([anyCounts, fc.boolean()])(
  "a DaemonSet is Available when it has a pod on every node, all serve, and are new unless people replace them",
  ({ existing: desired, updated, ready, available: serving }, onDelete) => {
    const isWhole = (onDelete || updated === desired) && Math.min(ready, serving) >= desired;
    const found = judge("apps/v1 DaemonSet", {
      spec: onDelete ? { updateStrategy: { type: "OnDelete" } } : {},
      status: onNodes(desired, updated, ready, serving),
    });
    expect(found.state).toBe(isWhole ? "Available" : "Progressing");
    expect(found.replicas).toStrictEqual(replicas(desired, updated, ready, serving));
  },
);

/** Three replicas, under the names of all kinds. */
const SETTLED = { ...status(), ...onNodes(3, 3, 3, 3) };

describe.each([
  "apps/v1 Deployment",
  "apps/v1 StatefulSet",
  "apps/v1 DaemonSet",
  "apps/v1 ReplicaSet",
  "v1 ReplicationController",
])("the generation of a settled %s", (kind) => {
  const observed = (observedGeneration: number | undefined, metadata = {}): Partial<Health> =>
    judge(kind, { metadata, spec, status: { ...SETTLED, observedGeneration } });

  test.each<[string, number | undefined, Partial<Health>]>([
    ["the one before", 1, { ...pending, serves: "Before" }],
    ["the present one", 2, available],
    ["a later one", 3, available],
    ["none", undefined, { ...pending, serves: "Before" }],
  ])("that its controller observed is %s", (_name, generation, want) => {
    expect(observed(generation)).toEqual({ ...want, replicas: replicas(3, 3, 3, 3) });
  });

  test("is observed with the first report, if the object has none", () => {
    const metadata = { generation: undefined };
    expect(observed(0, metadata)).toMatchObject(available);
    expect(observed(undefined, metadata)).toMatchObject(pending);
  });
});
