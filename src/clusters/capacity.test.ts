import { fc, test as fuzz } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { formatBytes, formatCpu, InvalidQuantityError, nodeResources, parseQuantity, sumCapacity } from "./capacity.ts";

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
    { text: "1Ei", want: 2n ** 60n * 1_000_000_000n },
    { text: "1e3", want: 1_000n * 1_000_000_000n },
    { text: "12E-1", want: 1_200_000_000n },
    { text: "-1", want: -1_000_000_000n },
    { text: "+4", want: 4_000_000_000n },
  ])("reads $text", ({ text, want }) => expect(parseQuantity(text)).toBe(want));

  test("rounds what is finer than a billionth up", () => expect(parseQuantity("0.0000000001")).toBe(1n));

  test.each(["", "m", "1 Gi", "1gi", "1.2.3", "abc", "1e", "0x10", "1Kim"])("refuses %j", (text) => {
    expect(() => parseQuantity(text)).toThrow(InvalidQuantityError);
  });

  fuzz.prop([fc.bigInt(0n, 10n ** 15n)])("reads back what was written as cpu", (milli) => {
    expect(parseQuantity(formatCpu(milli * 1_000_000n))).toBe(milli * 1_000_000n);
  });

  fuzz.prop([fc.bigInt(0n, 2n ** 60n)])("reads back what was written as bytes", (bytes) => {
    expect(parseQuantity(formatBytes(bytes * 1_000_000_000n))).toBe(bytes * 1_000_000_000n);
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
    expect(sumCapacity([node(), node({ cpu: "500m" })].map(nodeResources))).toEqual({ nodes: 2, cpu: "500m" });
  });

  test("of no nodes is none", () => expect(sumCapacity([])).toEqual({ nodes: 0 }));
});
