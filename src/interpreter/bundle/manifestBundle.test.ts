import { describe, expect, test } from "vitest";
import { bundle } from "../../../test/builders/index.ts";
import type { KubeObject } from "../../apis/index.ts";
import { manifestBundleKind } from "./manifestBundle.ts";

const rule = manifestBundleKind;
const inShop = (...manifests: KubeObject[]): KubeObject => bundle("b", manifests, { namespace: "shop" });
/** An object of that kind whose pods have that spec. */
const running = (apiVersion: string, kind: string, name: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
  spec: { template: { spec } },
});
const configMap = (name: string, readByPods: boolean): object => ({
  ref: { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name },
  optional: true,
  readByPods,
});
const secret = (name: string, readByPods: boolean): object => ({
  ref: { apiVersion: "v1", kind: "Secret", namespace: "shop", name },
  optional: true,
  readByPods,
});

describe("what a bundle needs beside it", () => {
  const volume = { volumes: [{ name: "v", configMap: { name: "settings" } }] };

  test("is what its pods refer to, whatever runs them; an operator may make it, so that nothing of it is missed", () => {
    const objects = ["apps/v1 Deployment", "batch/v1 Job", "example.com/v1 Runner"].map((name, at) => {
      const [apiVersion = "", kind = ""] = name.split(" ");
      return running(apiVersion, kind, kind.toLowerCase(), {
        containers: [{ name: "web" }],
        imagePullSecrets: [{ name: `pull-${at}` }],
      });
    });
    expect(rule.dependencies(inShop(...objects))).toEqual([
      secret("pull-0", false),
      secret("pull-1", false),
      secret("pull-2", false),
    ]);
  });

  test("is read by pods when one of them reads it, and each object is there once", () => {
    const pulling = { imagePullSecrets: [{ name: "s" }] };
    const reading = { volumes: [{ name: "v", secret: { secretName: "s" } }] };
    const two = (first: object, second: object): object[] =>
      rule.dependencies(
        inShop(running("apps/v1", "Deployment", "a", first), running("apps/v1", "Deployment", "b", second)),
      );
    expect(two(pulling, reading)).toEqual([secret("s", true)]);
    expect(two(reading, pulling)).toEqual([secret("s", true)]);
    expect(two(pulling, pulling)).toEqual([secret("s", false)]);
  });

  test("is nothing that it holds itself, and nothing for objects of another namespace", () => {
    const pods = running("apps/v1", "Deployment", "a", volume);
    expect(rule.dependencies(inShop(pods))).toEqual([configMap("settings", true)]);
    expect(
      rule.dependencies(inShop(pods, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } })),
    ).toEqual([]);
    expect(rule.dependencies(inShop({ ...pods, metadata: { name: "a", namespace: "bank" } }))).toEqual([]);
  });

  test("is found in the pods of a CronJob, and not where a claim template replaces a volume", () => {
    const cron = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "c" },
      spec: { jobTemplate: { spec: { template: { spec: volume } } } },
    };
    expect(rule.dependencies(inShop(cron))).toEqual([configMap("settings", true)]);
    const claim = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
    const database = running("apps/v1", "StatefulSet", "db", claim);
    const claimed = {
      ...database,
      spec: { ...(database["spec"] as object), volumeClaimTemplates: [{ metadata: { name: "data" } }] },
    };
    expect(rule.dependencies(inShop(database))).toMatchObject([{ ref: { kind: "PersistentVolumeClaim" } }]);
    expect(rule.dependencies(inShop(claimed))).toEqual([]);
  });
});
