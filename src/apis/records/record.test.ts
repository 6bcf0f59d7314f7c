import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus } from "../kinds/demoapplication.ts";
import {
  type FirstRecord,
  firstRecordOf,
  firstRecordText,
  orphanedBy,
  recordedKind,
  recordedKindText,
  recordOf,
} from "./record.ts";
import { DELETION_POLICY_ANNOTATION, FIRST_RECORD_ANNOTATION } from "../metadata/wellknown.ts";

const none = { desired: 0, updated: 0, ready: 0, available: 0 };
const entry = (name: string): ClusterStatusEntry => ({ name, state: "Available", replicas: none });
const object = (status?: FederatedStatus, first?: string) => ({
  metadata: { name: "shop", ...(first === undefined ? {} : { annotations: { [FIRST_RECORD_ANNOTATION]: first } }) },
  ...(status === undefined ? {} : { status }),
});
const first = (record: object): string => JSON.stringify(record);

describe("the record of where an object may be", () => {
  const summary = [{ region: "east", clusters: 2, replicas: none }];

  test.each<[string, ReturnType<typeof object>, string[], string[]]>([
    ["is empty where nothing is said", object(), [], []],
    ["names what the status lists", object({ clusters: [entry("a"), entry("b")] }), ["a", "b"], []],
    [
      "names what the status does not list one by one, each once",
      object({ clusters: [entry("a")], unlistedClusters: ["b", "a"], summary }),
      ["a", "b"],
      [],
    ],
    [
      "has the regions of which an earlier version only counted",
      object({ clusters: [entry("a")], summary }),
      ["a"],
      ["east"],
    ],
    ["has no regions where every cluster is named", object({ summary, unlistedClusters: [] }), [], []],
    [
      "names what the annotation does before there is a status",
      object(undefined, first({ clusters: ["a"] })),
      ["a"],
      [],
    ],
    [
      "names both as long as the status says nothing of the object",
      object({ clusters: [entry("b")] }, first({ clusters: ["a"] })),
      ["a", "b"],
      [],
    ],
    [
      "forgets the annotation once there is a status",
      object({ observedGeneration: 1, clusters: [entry("b")] }, first({ clusters: ["a"] })),
      ["b"],
      [],
    ],
  ])("%s", (_what, given, names, regions) => {
    const record = recordOf(given);
    expect([...record.names].toSorted()).toEqual(names);
    expect([...record.regions]).toEqual(regions);
  });
});

describe("the first record", () => {
  test.each<[string, FirstRecord]>([
    ["clusters", { clusters: ["a", "b"] }],
    ["what is to become of the copies", { clusters: [], deletionPolicy: "Orphan" }],
  ])("is read as it was written: %s", (_what, record) => {
    expect(firstRecordOf(object(undefined, firstRecordText(record)))).toStrictEqual(record);
  });

  test.each<[string, string | undefined]>([
    ["there is none", undefined],
    ["it is no JSON", "{"],
    ["it is null", "null"],
    ["its clusters are no list", first({ clusters: "a" })],
    ["it has no clusters", first({})],
  ])("is none where %s", (_what, text) => expect(firstRecordOf(object(undefined, text))).toBeUndefined());

  test("holds names and a policy that there is, and nothing else", () => {
    const text = first({ clusters: ["a", 1, null], deletionPolicy: "Delete", more: 1 });
    expect(firstRecordOf(object(undefined, text))).toStrictEqual({ clusters: ["a"] });
  });

  test("is not written where it would not fit into an annotation", () => {
    const clusters = (length: number) => ({ clusters: ["x".repeat(length - '{"clusters":[""]}'.length)] });
    expect(firstRecordText(clusters(64 * 1024))).toHaveLength(64 * 1024);
    expect(firstRecordText(clusters(64 * 1024 + 1))).toBeUndefined();
  });
});

test.each<[string, { deletionTimestamp?: string; annotations?: Record<string, string> }, "Orphan" | undefined]>([
  [
    "is being deleted and says so",
    { deletionTimestamp: "t", annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" } },
    "Orphan",
  ],
  ["is not being deleted", { annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" } }, undefined],
  [
    "says something else",
    { deletionTimestamp: "t", annotations: { [DELETION_POLICY_ANNOTATION]: "Delete" } },
    undefined,
  ],
  ["says nothing", { deletionTimestamp: "t" }, undefined],
])("what whoever deletes an object wants, where it %s", (_what, metadata, want) => {
  expect(orphanedBy({ name: "shop", ...metadata })).toBe(want);
});

test.each([
  ["ConfigMap", { group: "", kind: "ConfigMap" }],
  ["Deployment.apps", { group: "apps", kind: "Deployment" }],
  ["MysqlCluster.mysql.presslabs.org", { group: "mysql.presslabs.org", kind: "MysqlCluster" }],
])("the status names a kind as %s", (text, kind) => {
  expect(recordedKindText(kind)).toBe(text);
  expect(recordedKind(text)).toEqual(kind);
});
