import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { DeclaredDependency, KubeObject } from "../../apis/index.ts";
import { declaredDependencies } from "./declaredDependencies.ts";

const cluster = (spec: unknown): KubeObject => ({
  apiVersion: "mysql.presslabs.org/v1alpha1",
  kind: "MysqlCluster",
  metadata: { name: "my-db", namespace: "shop" },
  spec,
});
const secret = (path: string): DeclaredDependency => ({ kind: "Secret", path });

describe("declared fields", () => {
  const found = (spec: unknown, ...paths: string[]) => {
    const { dependencies, mismatch } = declaredDependencies(cluster(spec), paths.map(secret));
    return [dependencies.map(({ ref }) => ref.name), mismatch];
  };

  test.each<[name: string, spec: unknown, path: string, want: string[], mismatch?: string]>([
    ["a name", { secretName: "s" }, "spec.secretName", ["s"]],
    ["a part of the path that is absent", {}, "spec.backup.secret.name", []],
    [
      "each item of a list",
      { users: [{ password: { name: "a" } }, {}, { password: { name: "b" } }] },
      "spec.users[].password.name",
      ["a", "b"],
    ],
    ["a list of names", { secrets: ["b", "a", "a"] }, "spec.secrets[]", ["a", "b"]],
    ["the longest name", { secret: "a".repeat(253) }, "spec.secret", ["a".repeat(253)]],
    ["a name that is too long", { secret: "a".repeat(254) }, "spec.secret", [], "spec.secret is no name of a Secret"],
    [
      "a list of names that is not written as one",
      { secrets: ["a"] },
      "spec.secrets",
      [],
      "spec.secrets is a list: write spec.secrets[]",
    ],
    [
      "no list where one is written",
      { user: { secret: "a" } },
      "spec.user[].secret",
      [],
      "spec.user is no list: write it without []",
    ],
    ["fields of what has none", { secretName: "s" }, "spec.secretName.name", [], "spec.secretName has no fields"],
    ["a map in the place of a name", { secret: { name: "s" } }, "spec.secret", [], "spec.secret is no name"],
    [
      "what cannot be a name",
      { secret: "../kube-system/admin" },
      "spec.secret",
      [],
      "spec.secret is no name of a Secret",
    ],
    ["what every object inherits", {}, "spec.constructor.name", []],
  ])("%s", (_name, spec, path, want, mismatch) => expect(found(spec, path)).toEqual([want, mismatch]));

  test("are of their kind, in the namespace of the object, and never optional", () => {
    const { dependencies } = declaredDependencies(cluster({ claim: "data", account: "web" }), [
      { kind: "PersistentVolumeClaim", path: "spec.claim" },
      { kind: "ServiceAccount", path: "spec.account" },
    ]);
    expect(dependencies).toEqual([
      {
        ref: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "shop", name: "data" },
        optional: false,
        readByPods: false,
      },
      {
        ref: { apiVersion: "v1", kind: "ServiceAccount", namespace: "shop", name: "web" },
        optional: false,
        readByPods: false,
      },
    ]);
  });

  test.prop([fc.anything(), fc.constantFrom("spec", "spec.a", "spec.a[].b", "spec[]", "spec.a[]")])(
    "whatever is there, only names are found",
    (spec, path) => {
      const { dependencies } = declaredDependencies(cluster(spec), [secret(path)]);
      for (const { ref } of dependencies) expect(ref.name).toMatch(/^[a-z0-9][-a-z0-9.]*$/);
    },
  );

  const segment = fc.stringMatching(/^[a-z][A-Za-z0-9]{0,4}$/).filter((name) => !Object.hasOwn(Object.prototype, name));

  test.prop([fc.array(fc.record({ name: segment, list: fc.boolean() }), { minLength: 1, maxLength: 4 }), fc.nat(3)])(
    "a path finds the name that was put at its end, in every item",
    (steps, others) => {
      const value = steps.reduceRight<unknown>((inner, { name, list }) => {
        return { [name]: list ? [inner, ...Array.from({ length: others }, () => null)] : inner };
      }, "wanted");
      const path = steps.map(({ name, list }) => (list ? `${name}[]` : name)).join(".");
      expect(found(value, `spec.${path}`)).toEqual([["wanted"], undefined]);
    },
  );
});
