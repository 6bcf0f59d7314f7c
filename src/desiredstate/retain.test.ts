import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { withoutRetained } from "./retain.ts";

const object: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "x", annotations: { "example.com/a": "1", b: "2" } },
  spec: {
    replicas: 3,
    containers: [
      { name: "a", image: "i", resources: { limits: { cpu: "1" } } },
      { name: "b", image: "j" },
    ],
  },
};

describe("withoutRetained", () => {
  test.each<{ path: string; want: object }>([
    {
      path: "spec.replicas",
      want: { ...object, spec: { containers: (object["spec"] as { containers: unknown }).containers } },
    },
    {
      path: "spec.containers[name=b]",
      want: {
        ...object,
        spec: { replicas: 3, containers: [(object["spec"] as { containers: unknown[] }).containers[0]] },
      },
    },
    {
      path: "spec.containers[1]",
      want: {
        ...object,
        spec: { replicas: 3, containers: [(object["spec"] as { containers: unknown[] }).containers[0]] },
      },
    },
    {
      path: 'metadata.annotations["example.com/a"]',
      want: { ...object, metadata: { name: "x", annotations: { b: "2" } } },
    },
    {
      path: "spec.containers[name=a].resources.limits.cpu",
      want: {
        ...object,
        spec: {
          replicas: 3,
          containers: [
            { name: "a", image: "i" },
            { name: "b", image: "j" },
          ],
        },
      },
    },
  ])("gives up $path, and what held nothing else", ({ path, want }) => {
    const before = structuredClone(object);
    expect(withoutRetained([object], [{ kind: "Deployment", path }])).toEqual([want]);
    expect(object).toEqual(before);
  });

  test.each([
    "spec.nothing",
    "spec.replicas.x",
    "metadata.name",
    "metadata",
    "kind",
    "spec.[",
    "",
    "spec.containers[name=z].image",
    'metadata["name"]',
  ])("%s changes nothing", (path) => expect(withoutRetained([object], [{ kind: "Deployment", path }])[0]).toBe(object));

  test("another kind is left alone", () => {
    expect(withoutRetained([object], [{ kind: "Service", path: "spec.replicas" }])[0]).toBe(object);
  });
});
