import { describe, expect, test, vi } from "vitest";
import { BAD_OBJECTS } from "../../../test/builders/badObjects.ts";
import { GOOD_OBJECTS } from "../../../test/builders/goodObjects.ts";
import {
  applicationObject,
  clusterObject,
  patchObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../metadata/meta.ts";
import { kindOf, parseObject } from "./parse.ts";

/** As it comes over the wire: what is undefined is not there. */
const sent = (object: KubeObject) => JSON.parse(JSON.stringify(object)) as KubeObject;

describe("parseObject", () => {
  test.each([...GOOD_OBJECTS])("accepts $name", ({ object }) => {
    expect(parseObject(sent(object))).toMatchObject({ ok: true, object });
  });

  test.each([...BAD_OBJECTS])("refuses $name, and names the field", ({ object, field }) => {
    const result = parseObject(sent(object));
    expect(result.ok).toBe(false);
    const problems = result.ok ? [] : result.problems;
    expect(problems.map((problem) => problem.field)).toContain(field);
    expect(problems.every(({ message }) => message.length > 3)).toBe(true);
  });

  test("has at least 40 bad objects to refuse, each with a name of its own", () => {
    expect(new Set(BAD_OBJECTS.map(({ name }) => name)).size).toBe(BAD_OBJECTS.length);
    expect(BAD_OBJECTS.length).toBeGreaterThanOrEqual(40);
  });

  test.each<{ name: string; object: KubeObject; want: Record<string, unknown> }>([
    {
      name: "a DemoApplication",
      object: applicationObject({ ports: [{ port: 80 }] }),
      want: { replica: 1, ports: [{ port: 80, protocol: "TCP" }] },
    },
    {
      name: "a MemberCluster",
      object: clusterObject({ connection: { kubeconfigSecretRef: { name: "a" } } }),
      want: { connection: { kubeconfigSecretRef: { key: "kubeconfig" } } },
    },
    {
      name: "a Placement",
      object: placementObject({}),
      want: {
        priority: 0,
        replicaScheduling: { mode: "Duplicated" },
        dependencies: { mode: "Auto" },
        conflictResolution: "Abort",
        deletionPolicy: "Delete",
        suspend: false,
      },
    },
  ])("fills in the defaults of $name, and leaves the given object alone", ({ object, want }) => {
    const before = structuredClone(object);
    expect(parseObject(object)).toMatchObject({ ok: true, object: { spec: want } });
    expect(object).toEqual(before);
  });

  test("leaves objects of other kinds as they are", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } };
    expect(parseObject(object)).toEqual({ ok: true, object });
  });

  test("leaves a kind of Meridian's in a version that there is not, and another group's kind of the same name", () => {
    for (const apiVersion of ["paas.cmft.com/v9", "example.com/v1", "federation.paas.cmft.com/v1alpha1"]) {
      const object = { ...applicationObject({ replica: -1 }), apiVersion };
      expect(kindOf(object)).toBeUndefined();
      expect(parseObject(object)).toEqual({ ok: true, object });
    }
    expect(kindOf(applicationObject({}))).toMatchObject({ kind: { kind: "DemoApplication" }, version: { name: "v1" } });
  });

  test("finds what is no field, however deep, and beside the spec", () => {
    const problems = (object: KubeObject) => {
      const result = parseObject(object);
      return result.ok ? [] : result.problems;
    };
    const message = "is not a field of this kind; check the spelling, or remove it";
    const env = [{ name: "A", value: "1", x: 1 }];
    expect(problems(applicationObject({ image: "nginx", replicas: 2, env }))).toEqual([
      { field: "spec.replicas", message },
      { field: "spec.env[0].x", message },
    ]);
    expect(problems({ ...applicationObject({ image: "nginx" }), data: {} })).toEqual([{ field: "data", message }]);
    expect(problems({ ...applicationObject({ image: "nginx" }), status: {} })).toEqual([]);
  });

  test("names every problem of an object", () => {
    const result = parseObject(applicationObject({ replica: -1, ports: [{ port: 0 }] }));
    expect(result).toMatchObject({ ok: false, problems: [{ field: "spec.replica" }, { field: "spec.ports[0].port" }] });
  });

  test("takes whatever value a patch has, and finds no unknown fields inside it", () => {
    expect(parseObject(patchObject({ op: "add", path: "/a", value: { deep: [{ er: 1 }] } })).ok).toBe(true);
  });

  test.each<{ what: string; object: KubeObject; field: string }>([
    {
      what: "a text of 100 kB where a port's name is asked for",
      field: "spec.ports[0].targetPort",
      object: applicationObject({ ports: [{ port: 80, targetPort: `${"a".repeat(100_000)}!` }] }),
    },
    {
      what: "100,000 entries",
      field: "spec.ports",
      object: applicationObject({ ports: Array.from({ length: 100_000 }, (_, port) => ({ port })) }),
    },
    {
      what: "100,000 resources",
      field: "spec.resources.limits",
      object: applicationObject({
        resources: { limits: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`r${n}`, 1])) },
      }),
    },
    {
      what: "a value of 9,000 levels",
      field: "spec.rules[0].patches[0].value",
      object: patchObject({ op: "add", path: "/a", value: nested(9_000) }),
    },
  ])("refuses $what by its length, before any pattern or rule reads it", ({ object, field }) => {
    const matched = vi.spyOn(RegExp.prototype, "test");
    const result = parseObject(object);
    const longest = Math.max(0, ...matched.mock.calls.map(([text]) => text.length));
    matched.mockRestore();
    expect(result).toMatchObject({
      ok: false,
      problems: [{ field, message: expect.stringMatching(/at most|deeper/) }],
    });
    expect(longest).toBeLessThan(100);
  });

  test("names no more problems than a person reads", () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`field${n}`, 1]));
    const result = parseObject({ ...applicationObject(unknown), ...unknown });
    expect(result.ok ? 0 : result.problems.length).toBeLessThanOrEqual(40);
  });
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
}
