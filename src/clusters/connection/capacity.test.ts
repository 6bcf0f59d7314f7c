import { fc, test as fuzz } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { formatBytes, formatCpu, InvalidQuantityError, nodeResources, parseQuantity, sumCapacity } from "./capacity.ts";

const failureOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe("parseQuantity", () => {
  test.each([
    { text: "0", want: 0n },
    { text: "1", want: 1_000_000_000n },
    { text: "100m", want: 100_000_000n },
    { text: "1.5", want: 1_500_000_000n },
    { text: ".5", want: 500_000_000n },
    { text: "2.", want: 2_000_000_000n },
    { text: "7u", want: 7_000n },
    { text: "3n", want: 3n },
    { text: "1k", want: 1_000n * 1_000_000_000n },
    { text: "1Ki", want: 1_024n * 1_000_000_000n },
    { text: "1.5Gi", want: 1_610_612_736n * 1_000_000_000n },
    { text: "2E", want: 2n * 10n ** 18n * 1_000_000_000n },
    { text: "1Mi", want: 2n ** 20n * 1_000_000_000n },
    { text: "1Ti", want: 2n ** 40n * 1_000_000_000n },
    { text: "1Pi", want: 2n ** 50n * 1_000_000_000n },
    { text: "1Ei", want: 2n ** 60n * 1_000_000_000n },
    { text: "1M", want: 10n ** 15n },
    { text: "1G", want: 10n ** 18n },
    { text: "1T", want: 10n ** 21n },
    { text: "1P", want: 10n ** 24n },
    { text: "1e3", want: 1_000n * 1_000_000_000n },
    { text: "1e+03", want: 1_000n * 1_000_000_000n },
    { text: "1e012", want: 10n ** 21n },
    { text: "12E-1", want: 1_200_000_000n },
    { text: "-1.5", want: -1_500_000_000n },
    { text: "0.25Ki", want: 256n * 1_000_000_000n },
    { text: "-1", want: -1_000_000_000n },
    { text: "+4", want: 4_000_000_000n },
  ])("reads $text", ({ text, want }) => expect(parseQuantity(text)).toBe(want));

  test.each([
    { text: "0.0000000001", want: 1n },
    { text: "1.0000000000", want: 1_000_000_000n },
    { text: "1e-10", want: 1n },
    { text: "1.0000000001", want: 1_000_000_001n },
    { text: "-0.0000000001", want: -1n },
    { text: "1e-9", want: 1n },
  ])("rounds what is finer than a billionth away from nothing: $text", ({ text, want }) =>
    expect(parseQuantity(text)).toBe(want),
  );

  test.each([5, null, {}, [], true])("refuses %j, which is no text", (value) => {
    expect(() => parseQuantity(value)).toThrow(InvalidQuantityError);
  });

  test.each(["", "m", ".", "1 Gi", "1gi", "1.2.3", "abc", "x1", "1e", "1e1234", "0x10", "1Kim", "--1"])(
    "refuses %j",
    (text) => {
      expect(() => parseQuantity(text)).toThrow(new InvalidQuantityError(text));
    },
  );

  test.each(["1".repeat(65), "1".repeat(30_000_000), `0.${"0".repeat(64)}1`])(
    "refuses a text that is longer than a quantity can be, and does not repeat it (%#)",
    (text) => {
      const error = failureOf(() => parseQuantity(text));
      expect(error).toBeInstanceOf(InvalidQuantityError);
      expect((error as Error).message.length).toBeLessThan(200);
    },
  );

  test("is bounded as Kubernetes bounds it", () => {
    const most = (2n ** 63n - 1n) * 1_000_000_000n;
    expect([parseQuantity("1e999"), parseQuantity("-1e999"), parseQuantity("9223372036854775807")]).toEqual([
      most,
      -most,
      most,
    ]);
  });

  test("says what it refuses", () => {
    const { name, message } = new InvalidQuantityError('1"');
    expect([name, message]).toEqual(["InvalidQuantityError", '"1\\"" is not a quantity']);
  });

  fuzz.prop([fc.bigInt(0n, 10n ** 15n)])("reads back what was written as cpu", (milli) => {
    expect(parseQuantity(formatCpu(milli * 1_000_000n))).toBe(milli * 1_000_000n);
  });

  fuzz.prop([fc.bigInt(0n, 2n ** 60n)])("reads back what was written as bytes", (bytes) => {
    expect(parseQuantity(formatBytes(bytes * 1_000_000_000n))).toBe(bytes * 1_000_000_000n);
  });
});

describe("what is shown of an amount", () => {
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
  const node = (allocatable?: Record<string, string>): KubeObject => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    status: allocatable === undefined ? {} : { allocatable },
  });

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
