import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { namespaceFacts, objectIndexers, withoutBookkeeping } from "./kept.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const object = (metadata: object, spec?: unknown): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a", ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

describe("what is kept of an object", () => {
  test("is all but the owners of its fields and what kubectl remembers", () => {
    const annotations = { [LAST_APPLIED]: "{}", note: "x" };
    expect(withoutBookkeeping(object({ managedFields: [{}], annotations, labels: { a: "1" } }, {}))).toStrictEqual(
      object({ annotations: { note: "x" }, labels: { a: "1" } }, {}),
    );
    expect(withoutBookkeeping(object({ annotations: { [LAST_APPLIED]: "{}" } }))).toStrictEqual(
      object({ annotations: {} }),
    );
    expect(withoutBookkeeping(object({ managedFields: [] }))).toStrictEqual(object({}));
  });

  test("of a namespace is who it is, its labels and its annotations", () => {
    const metadata = { name: "n", uid: "u", labels: { a: "1" }, annotations: { b: "2" } };
    expect(namespaceFacts({ ...object({ ...metadata, finalizers: ["f"] }), spec: {} })).toStrictEqual({ metadata });
    expect(namespaceFacts(object({}))).toStrictEqual({ metadata: { name: "a" } });
  });

  test("is found by its namespace and by its node ports", () => {
    const { namespace, nodePort } = objectIndexers as Record<string, (object: KubeObject) => readonly string[]>;
    expect([namespace?.(object({ namespace: "n" })), namespace?.(object({}))]).toEqual([["n"], []]);
    const ports = [{ port: 80, nodePort: 30080 }, { port: 81 }, { port: 82, nodePort: "30082" }];
    expect(nodePort?.(object({}, { ports }))).toEqual(["30080"]);
    expect([nodePort?.(object({}, { ports: {} })), nodePort?.(object({}))]).toEqual([[], []]);
  });
});
