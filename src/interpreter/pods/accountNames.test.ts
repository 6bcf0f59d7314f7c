import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { withAccountNames } from "./accountNames.ts";

const object = (apiVersion: string, kind: string, fields: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "x" },
  ...fields,
});
const deployment = (spec: object): KubeObject =>
  object("apps/v1", "Deployment", { spec: { replicas: 1, template: { metadata: {}, spec } } });
const specOf = (one: KubeObject): unknown =>
  (one as unknown as { spec: { template: { spec: unknown } } }).spec.template.spec;

const ONE = { containers: [], serviceAccountName: "admin" };
const BOTH = { ...ONE, serviceAccount: "admin" };

describe("the service account of pods has both of its names", () => {
  test.each<[string, string, (spec: object) => object]>([
    ["v1", "Pod", (spec) => ({ spec })],
    ["v1", "PodTemplate", (spec) => ({ template: { spec } })],
    ["v1", "ReplicationController", (spec) => ({ spec: { template: { spec } } })],
    ["apps/v1", "Deployment", (spec) => ({ spec: { template: { spec } } })],
    ["apps/v1", "StatefulSet", (spec) => ({ spec: { template: { spec } } })],
    ["apps/v1", "DaemonSet", (spec) => ({ spec: { template: { spec } } })],
    ["apps/v1", "ReplicaSet", (spec) => ({ spec: { template: { spec } } })],
    ["batch/v1", "Job", (spec) => ({ spec: { template: { spec } } })],
    ["batch/v1", "CronJob", (spec) => ({ spec: { jobTemplate: { spec: { template: { spec } } } } })],
  ])("in a %s %s", (apiVersion, kind, around) => {
    const given = object(apiVersion, kind, around(ONE));
    expect(withAccountNames(given)).toEqual(object(apiVersion, kind, around(BOTH)));
    expect(given).toEqual(object(apiVersion, kind, around(ONE)));
  });

  test.each<[string, object]>([
    ["the newer one is given", { serviceAccountName: "admin" }],
    ["the older one is given", { serviceAccount: "admin" }],
    ["the newer one is empty", { serviceAccountName: "", serviceAccount: "admin" }],
    [
      "they differ, and the newer one counts, as on an API server",
      { serviceAccountName: "admin", serviceAccount: "web" },
    ],
  ])("where %s", (_, names) =>
    expect(specOf(withAccountNames(deployment(names)))).toEqual({
      serviceAccountName: "admin",
      serviceAccount: "admin",
    }),
  );

  test.each<[string, KubeObject]>([
    ["names none", deployment({ containers: [] })],
    ["has both", deployment(BOTH)],
    ["says what is no name, which the member refuses", deployment({ serviceAccountName: 7 })],
    ["is of a custom kind, whose schema may know one name only", { ...deployment(ONE), apiVersion: "example.com/v1" }],
    ["makes no pods", object("v1", "ConfigMap", { data: {} })],
  ])("and stays the same object where it %s", (_, given) => expect(withAccountNames(given)).toBe(given));
});
