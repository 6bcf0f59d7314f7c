import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { federatedStatus } from "../apis/index.ts";
import { aggregate } from "./aggregate.ts";
import { after, entry, inputOf, refused, row, T0, target, view } from "./testing/builders.ts";
import type { RowView, StatusInput } from "./types.ts";

const counting = (desired: number, seen = desired): RowView =>
  row({ health: { state: "Available", replicas: { desired, updated: seen, ready: seen, available: seen } } });
const asking = (...replicas: (number | undefined)[]) => {
  const clusters = replicas.map((count, i) => ({ name: `c${i}`, frozen: false, objects: [], replicas: count }));
  return target([], {
    clusters: clusters.map(({ replicas: count, ...one }) => (count === undefined ? one : { ...one, replicas: count })),
  });
};
const all = (desired: number, seen: number) => ({ desired, updated: seen, ready: seen, available: seen });

describe("copies of another version", () => {
  test("do not count either where a rollout keeps what is wanted from the cluster", () => {
    const views = ["c0", "c1"].map((name) => view(name, { rows: [counting(2)] }));
    const clusters = [
      { name: "c0", state: "Done" as const },
      { name: "c1", state: "Waiting" as const },
    ];
    const rollout = {
      state: "Progressing" as const,
      revision: 2,
      stages: [{ name: "all", state: "Progressing" as const, clusters }],
    };
    const status = aggregate(inputOf(views, { target: asking(2, 2), rollout }), T0);
    expect(status.replicas).toEqual({ desired: 4, updated: 2, ready: 4, available: 4 });
  });
});

describe("a number that the hub would refuse", () => {
  test("takes nothing from what others count", () => {
    const rows = [counting(5), counting(-3)];
    const status = aggregate(inputOf([view("c0", { rows })], { target: asking(undefined) }), T0);
    expect(entry(status, "c0")?.replicas).toEqual(all(5, 5));
  });

  const wild = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-1, 2.5, 2 ** 31, NaN, Infinity, -Infinity));
  const arbitraryRow = fc
    .record({ desired: wild, updated: wild, ready: wild, available: wild })
    .map((replicas) => row({ health: { state: "Progressing", reason: "R", message: "", replicas } }));
  const arbitraryInput: fc.Arbitrary<StatusInput> = fc
    .record({
      rows: fc.array(fc.array(arbitraryRow, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      asked: fc.array(fc.option(wild, { nil: undefined }), { maxLength: 4 }),
      lost: fc.nat(4),
    })
    .map(({ rows, asked, lost }) => {
      const views = rows.map((of, i) => view(`c${i}`, { rows: of, ...(i < lost ? { contact: refused } : {}) }));
      return inputOf(views, { target: asking(...asked) });
    });

  test.prop([arbitraryInput])("is in no status, whoever says it", (input) => {
    const status = aggregate(input, T0);
    expect(federatedStatus.safeParse(status).error).toBeUndefined();
    expect(federatedStatus.safeParse(aggregate(after(input, status), T0)).error).toBeUndefined();
  });
});
