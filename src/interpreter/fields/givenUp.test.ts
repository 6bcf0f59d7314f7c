import { describe, expect, test } from "vitest";
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from "../../apis/index.ts";
import { withoutGivenUp } from "./givenUp.ts";

const deployment = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop", ...metadata },
  spec,
});
const entry = (fieldsV1: FieldsV1, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "meridian",
  operation: "Apply",
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});
const own = (before: KubeObject, after: KubeObject, fieldsV1: FieldsV1) =>
  withoutGivenUp([entry(fieldsV1)], "meridian", before, after)?.[0]?.fieldsV1;

describe("what is given up", () => {
  test("is owned no more, and nothing else changes", () => {
    const before = deployment({ replicas: 2, paused: true });
    expect(own(before, deployment({ paused: true }), { "f:spec": { "f:replicas": {}, "f:paused": {} } })).toEqual({
      "f:spec": { "f:paused": {} },
    });
  });

  test("takes along the maps that held nothing else", () => {
    const before = deployment({ replicas: 2 });
    const { spec: _, ...after } = before;
    const fields = { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": { "f:replicas": {} } };
    expect(own(before, after as KubeObject, fields)).toEqual({ "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } });
  });

  test("in an item of a list is found by the item's key, wherever it stands", () => {
    const web = { name: "web", image: "nginx", resources: { limits: { cpu: "1" } } };
    const side = { name: "side", image: "envoy" };
    const before = deployment({ containers: [web, side] });
    const after = deployment({ containers: [{ name: "web", image: "nginx" }, side] });
    const fields = {
      "f:spec": {
        "f:containers": {
          'k:{"name":"side"}': { ".": {}, "f:name": {}, "f:image": {} },
          'k:{"name":"web"}': {
            ".": {},
            "f:name": {},
            "f:image": {},
            "f:resources": { "f:limits": { "f:cpu": {} } },
          },
        },
      },
    };
    expect(own(before, after, fields)).toEqual({
      "f:spec": {
        "f:containers": {
          'k:{"name":"side"}': { ".": {}, "f:name": {}, "f:image": {} },
          'k:{"name":"web"}': { ".": {}, "f:name": {}, "f:image": {} },
        },
      },
    });
  });

  test("may be a whole item", () => {
    const before = deployment({ containers: [{ name: "web" }, { name: "side" }] });
    const after = deployment({ containers: [{ name: "web" }] });
    const fields = {
      "f:spec": { "f:containers": { 'k:{"name":"side"}': { "f:name": {} }, 'k:{"name":"web"}': { "f:name": {} } } },
    };
    expect(own(before, after, fields)).toEqual({
      "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:name": {} } } },
    });
  });

  test("of a list that is owned as a whole is nothing, or the list", () => {
    const before = deployment({ args: ["a", "b"] });
    expect(own(before, deployment({ args: ["a"] }), { "f:spec": { "f:args": {} } })).toBeUndefined();
    expect(own(before, deployment({ x: 1 }), { "f:spec": { "f:args": {}, "f:x": {} } })).toEqual({
      "f:spec": { "f:x": {} },
    });
  });

  test.each<{ name: string; given: ManagedFieldsEntry }>([
    { name: "by then", given: entry({ "f:spec": { "f:paused": {} } }) },
    { name: "but by others", given: entry({ "f:spec": { "f:replicas": {} } }, { manager: "hpa" }) },
    { name: "but by an update", given: entry({ "f:spec": { "f:replicas": {} } }, { operation: "Update" }) },
    { name: "but of its status", given: entry({ "f:spec": { "f:replicas": {} } }, { subresource: "status" }) },
  ])("is left alone when it is not owned $name", ({ given }) => {
    const before = deployment({ replicas: 2, paused: true });
    expect(withoutGivenUp([given], "meridian", before, deployment({ paused: true }))).toBeUndefined();
  });

  test("does not count what is merely new in the later object", () => {
    const before = deployment({ replicas: 2 });
    const after = deployment({ replicas: 2, paused: true }, { labels: { a: "b" } });
    expect(own(before, after, { "f:spec": { "f:replicas": {} } })).toBeUndefined();
  });
});
