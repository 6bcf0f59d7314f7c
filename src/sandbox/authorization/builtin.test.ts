import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { aggregatedRules, authorize, builtinRoles } from "./index.ts";
import { person, url, source, ask } from "./testing/roles.ts";

describe("the roles of every cluster", () => {
  const all = builtinRoles();
  const roles = source(...all);

  test("are shared and frozen, and have no uid and no time", () => {
    expect(builtinRoles()).toBe(all);
    expect(Object.isFrozen(all[0]?.metadata)).toBe(true);
    for (const { metadata } of all) {
      expect(Object.keys(metadata).every((key) => ["name", "namespace", "labels", "annotations"].includes(key))).toBe(
        true,
      );
    }
  });

  test("let everybody who is known discover, and nobody else read", () => {
    expect(authorize(person("bob"), url("/apis"), roles).allowed).toBe(true);
    expect(authorize(person("bob"), url("/openapi/v3"), roles).allowed).toBe(true);
    expect(
      authorize({ name: "system:anonymous", groups: ["system:unauthenticated"] }, url("/version"), roles).allowed,
    ).toBe(true);
    expect(authorize(person("bob"), ask("list", "pods"), roles).allowed).toBe(false);
  });

  test.each(["admin", "edit", "view"])("hold the rules of %s as its selectors give them", (name) => {
    const clusterRoles = all.filter(({ kind }) => kind === "ClusterRole");
    const aggregated = roles.clusterRole(name) as KubeObject;
    expect(aggregatedRules(aggregated, clusterRoles)).toEqual(aggregated["rules"]);
  });
});
