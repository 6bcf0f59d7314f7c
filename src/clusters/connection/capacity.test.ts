import { fc, test as fuzz } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { exactQuantity, type KubeObject } from "../../apis/index.ts";
import { formatBytes, formatCpu, InvalidQuantityError, nodeResources, sumCapacity } from "./capacity.ts";

const node = (allocatable?: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  status: allocatable === undefined ? {} : { allocatable },
});

test("InvalidQuantityError quotes the value, unless it is long", () => {
  const { name, message } = new InvalidQuantityError('1"');
  expect([name, message]).toEqual(["InvalidQuantityError", '"1\\"" is not a quantity']);
  expect(() => nodeResources(node({ cpu: "much" }))).toThrow(InvalidQuantityError);
  expect(() => nodeResources(node({ cpu: "1".repeat(30_000_000) }))).toThrow(/^.{1,200}$/);
});

describe("a formatted amount", () => {
  fuzz.prop([fc.bigInt(0n, 10n ** 15n)])("of cpu can be parsed again", (milli) => {
    expect(exactQuantity(formatCpu(milli * 1_000_000n))).toBe(milli * 1_000_000n);
  });

  fuzz.prop([fc.bigInt(0n, 2n ** 60n)])("of bytes can be parsed again", (bytes) => {
    expect(exactQuantity(formatBytes(bytes * 1_000_000_000n))).toBe(bytes * 1_000_000_000n);
  });

  test.each([
    [0n, "0"],
    [1_023n, "1023"],
    [1_024n, "1Ki"],
    [1_025n, "1025"],
    [3n * 2n ** 20n, "3Mi"],
    [1_536n * 2n ** 20n, "1536Mi"],
  ])("of %d bytes has the largest exact unit: %s", (bytes, want) => {
    expect(formatBytes(bytes * 1_000_000_000n)).toBe(want);
  });

  test.each([
    [0n, "0"],
    [2_000_000_000n, "2"],
    [1n, "1m"],
    [1_000_000_001n, "1001m"],
  ])("of %d billionths of a core is rounded up: %s", (billionths, want) => expect(formatCpu(billionths)).toBe(want));

  test("of memory is rounded up to bytes", () => {
    expect(formatBytes(1n)).toBe("1");
  });
});

describe("the capacity of a cluster", () => {
  test("is the sum of its nodes in any units", () => {
    const nodes = [
      node({ cpu: "3920m", memory: "16389432Ki", pods: "110" }),
      node({ cpu: "80m", memory: "1Gi", pods: "110" }),
      node({ cpu: "4", memory: "1Mi", pods: "110" }),
    ];
    expect(sumCapacity(nodes.map(nodeResources))).toEqual({ nodes: 3, cpu: "8", memory: "17439032Ki", pods: "330" });
  });

  test("lacks resources that no node reports", () => {
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

  test("of no nodes has no resources", () => expect(sumCapacity([])).toStrictEqual({ nodes: 0 }));
});
