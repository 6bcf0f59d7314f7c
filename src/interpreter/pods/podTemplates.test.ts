import { describe, expect, test } from "vitest";
import { podTemplateOf } from "./podTemplates.ts";

const metadata = { labels: { app: "shop" } };
const spec = { containers: [] };
const template = { metadata, spec };
const of = (apiVersion: string, kind: string, fields: object) =>
  podTemplateOf({ apiVersion, kind, metadata: { name: "x" }, ...fields });

describe("the template of pods", () => {
  test.each<[string, string, object, unknown]>([
    ["v1", "Pod", { spec }, { metadata: { name: "x" }, spec }],
    ["v1", "PodTemplate", { template }, template],
    ["batch/v1", "CronJob", { spec: { jobTemplate: { spec: { template } } } }, template],
    ["batch/v1", "Job", { spec: { template } }, template],
    ["apps/v1", "Deployment", { spec: { template } }, template],
    ["example.com/v1", "Pod", { spec: { template } }, template],
    ["apps/v1", "Deployment", { spec: { template: { spec } } }, { metadata: undefined, spec }],
  ])("of %s %s in %j is found", (apiVersion, kind, fields, want) => {
    expect(of(apiVersion, kind, fields)).toStrictEqual(want);
  });

  test.each<[string, string, object]>([
    ["apps/v1", "Deployment", { spec: {} }],
    ["apps/v1", "Deployment", { spec: { template: "x" } }],
    ["apps/v1", "Deployment", { spec: { template: { spec: "x" } } }],
    ["apps/v1", "Deployment", { spec: { template: { metadata } } }],
    ["v1", "Pod", {}],
    ["batch/v1", "CronJob", { spec: { template } }],
  ])("of %s %s in %j is none", (apiVersion, kind, fields) => expect(of(apiVersion, kind, fields)).toBeUndefined());
});
