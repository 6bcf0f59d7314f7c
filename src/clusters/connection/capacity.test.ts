import { fc, test as fuzz } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { exactQuantity, type KubeObject } from "../../apis/index.ts";
import { formatBytes, formatCpu, InvalidQuantityError, nodeResources, sumCapacity } from "./capacity.ts";

const failureOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const node = (allocatable?: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  status: allocatable === undefined ? {} : { allocatable },
});

describe("InvalidQuantityError", () => {
  test("says what it refuses", () => {
    const { name, message } = new InvalidQuantityError('1"');
    expect([name, message]).toEqual(["InvalidQuantityError", '"1\\"" is not a quantity']);
  });

  test("does not repeat a long text", () => {
    const refused = node({ cpu: "1".repeat(30_000_000) });
    expect(() => nodeResources(refused)).toThrow(InvalidQuantityError);
    expect(failureOf(() => nodeResources(refused))).toMatchObject({ message: expect.stringMatching(/^.{1,200}$/) });
  });
});

describe("what is shown of an amount", () => {
  fuzz.prop([fc.bigInt(0n, 10n ** 15n)])("reads back what was written as cpu", (milli) => {
    expect(exactQuantity(formatCpu(milli * 1_000_000n))).toBe(milli * 1_000_000n);
  });

  fuzz.prop([fc.bigInt(0n, 2n ** 60n)])("reads back what was written as bytes", (bytes) => {
    expect(exactQuantity(formatBytes(bytes * 1_000_000_000n))).toBe(bytes * 1_000_000_000n);
  });

  const GIB = 2n ** 30n;
  test.each([
    { bytes: 0n, want: "0" },
    { bytes: 1_023n, want: "1023" },
    { bytes: 1_024n, want: "1Ki" },
    { bytes: 1_025n, want: "1025" },
    { bytes: 3n * 2n ** 20n, want: "3Mi" },
    { bytes: 1_536n * 2n ** 20n, want: "1536Mi" },
    { bytes: 5n * GIB, want: "5Gi" },
    { bytes: 2_048n * GIB, want: "2048Gi" },
  ])("of memory is the largest unit that loses nothing: $want", ({ bytes, want }) => {
    expect(formatBytes(bytes * 1_000_000_000n)).toBe(want);
  });

  test.each([
    { billionths: 0n, want: "0" },
    { billionths: 1_500_000_000n, want: "1500m" },
    { billionths: 2_000_000_000n, want: "2" },
    { billionths: 1n, want: "1m" },
    { billionths: 1_000_000_001n, want: "1001m" },
  ])("of cores is whole ones, or thousandths, rounded up: $want", ({ billionths, want }) => {
    expect(formatCpu(billionths)).toBe(want);
  });

  test("of memory is whole bytes, rounded up", () => {
    expect(formatBytes(1n)).toBe("1");
  });
});

describe("the capacity of a cluster", () => {
  test("is the sum of its nodes, in whatever units they speak", () => {
    const nodes = [
      node({ cpu: "3920m", memory: "16389432Ki", pods: "110" }),
      node({ cpu: "80m", memory: "1Gi", pods: "110" }),
      node({ cpu: "4", memory: "1Mi", pods: "110" }),
    ];
    expect(sumCapacity(nodes.map(nodeResources))).toEqual({ nodes: 3, cpu: "8", memory: "17439032Ki", pods: "330" });
  });

  test("says nothing of resources that no node reports", () => {
    const { status: _, ...silent } = node();
    const nodes = [node(), node({ cpu: "500m" }), silent];
    expect(nodes.map(nodeResources)).toStrictEqual([{}, { cpu: 500_000_000n }, {}]);
    expect(sumCapacity(nodes.map(nodeResources))).toStrictEqual({ nodes: 3, cpu: "500m" });
    expect(sumCapacity([node({ memory: "1Ki", pods: "0.5" })].map(nodeResources))).toStrictEqual({
      nodes: 1,
      memory: "1Ki",
      pods: "1",
    });
  });

  test("of no nodes is none", () => expect(sumCapacity([])).toStrictEqual({ nodes: 0 }));

  test("is not known of a node that speaks no quantities", () => {
    expect(() => nodeResources(node({ cpu: "much" }))).toThrow(InvalidQuantityError);
  });
});
