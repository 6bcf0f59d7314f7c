import { expect, test } from "vitest";
import type { DependencyKind, KubeObject } from "../../apis/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import { type Dependency, placeableKindOf } from "../../interpreter/index.ts";
import { footprintOf } from "./leftovers.ts";

const needed = (kind: DependencyKind): Dependency => ({
  ref: { apiVersion: "v1", kind, namespace: "default", name: "x" },
  optional: false,
  readByPods: false,
});

test("what is not watched everywhere is looked for by its name, as what is rendered is", () => {
  const object: KubeObject = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "default" },
  };
  const kind = { interpreter: placeableKindOf("example.com", "Widget") } as PlacedKind;
  const kinds = ["ConfigMap", "PersistentVolumeClaim", "Secret", "ServiceAccount"] as const;
  const footprint = footprintOf(kind, object, kinds.map(needed));
  expect(footprint.refs.map((ref) => `${ref.kind}/${ref.name}`)).toEqual([
    "Widget/w",
    "PersistentVolumeClaim/x",
    "ServiceAccount/x",
  ]);
  expect(footprint.kinds).toEqual(["example.com/Widget", ...kinds.map((one) => `/${one}`)]);
});
