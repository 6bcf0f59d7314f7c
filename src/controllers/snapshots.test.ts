import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../apis/index.ts";
import { isRemoval, previousOf } from "./snapshots.ts";
import { applyRow, deleteRow, holdRow } from "./testing/builders.ts";

const RECORD = "federation.paas.cmft.com/clusters";
const object = (record?: object, status?: object): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", ...(record === undefined ? {} : { annotations: { [RECORD]: JSON.stringify(record) } }) },
  ...(status === undefined ? {} : { status }),
});

describe("what an object said of itself before", () => {
  const orphaned = { clusters: ["a"], deletionPolicy: "Orphan" };
  test.each([
    { name: "is nothing for a new object", given: object(), want: undefined },
    { name: "is its status", given: object(undefined, { observedGeneration: 3 }), want: { observedGeneration: 3 } },
    {
      name: "is how it parts from its copies, before it has a status",
      given: object(orphaned),
      want: { deletionPolicy: "Orphan" },
    },
    {
      name: "is that beside what another writer has put into the status",
      given: object(orphaned, { selector: "app=shop" }),
      want: { selector: "app=shop", deletionPolicy: "Orphan" },
    },
    {
      name: "is its status alone, once there is one",
      given: object(orphaned, { observedGeneration: 3 }),
      want: { observedGeneration: 3 },
    },
    { name: "is nothing of a record that says only where", given: object({ clusters: ["a"] }), want: undefined },
  ])("$name", ({ given, want }) => expect(previousOf(given, given["status"] as FederatedStatus)).toEqual(want));
});

describe("a row", () => {
  test.each([
    { name: "that deletes takes the copy away", row: deleteRow(), want: true },
    { name: "that releases takes the copy away", row: deleteRow({ verb: "Release" as never }), want: true },
    { name: "that holds what is to go takes the copy away", row: holdRow({ wanted: false }), want: true },
    { name: "that holds what is to stay does not", row: holdRow({ wanted: true }), want: false },
    { name: "that applies does not", row: applyRow(), want: false },
  ])("$name", ({ row, want }) => expect(isRemoval(row)).toBe(want));
});
