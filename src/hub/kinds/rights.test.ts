import { describe, expect, test } from "vitest";
import { memberRights, memberRightsInNamespace, rightsOn } from "./rights.ts";

describe("rights", () => {
  test("are one rule for each group, with the resources in order", () => {
    const kinds = [
      { group: "apps", plural: "statefulsets" },
      { group: "", plural: "services" },
      { group: "apps", plural: "deployments" },
      { group: "apps", plural: "deployments" },
    ];
    expect(rightsOn(kinds, ["get"])).toEqual([
      { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs: ["get"] },
      { apiGroups: [""], resources: ["services"], verbs: ["get"] },
    ]);
  });

  test("on a member are those on what is placed there, and namespaces are never replaced", () => {
    const all = ["get", "list", "watch", "create", "patch", "delete"];
    expect(memberRights([{ group: "batch", plural: "jobs" }])).toEqual([
      { apiGroups: [""], resources: ["namespaces"], verbs: all },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: all },
      { apiGroups: [""], resources: ["configmaps", "secrets", "services"], verbs: all },
      { apiGroups: ["batch"], resources: ["jobs"], verbs: all },
      { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    ]);
  });

  test("in a namespace of a member are those on all but what is cluster-scoped", () => {
    const all = ["get", "list", "watch", "create", "patch", "delete"];
    const more = [
      { group: "batch", plural: "jobs", namespaced: true },
      { group: "x.io", plural: "unknowns", namespaced: undefined },
      { group: "x.io", plural: "clusters", namespaced: false },
    ];
    const usual = [
      { apiGroups: ["apps"], resources: ["deployments"], verbs: all },
      { apiGroups: [""], resources: ["configmaps", "secrets", "services"], verbs: all },
    ];
    const pods = { apiGroups: [""], resources: ["pods"], verbs: ["list"] };
    expect(memberRightsInNamespace(more)).toEqual([
      ...usual,
      { apiGroups: ["batch"], resources: ["jobs"], verbs: all },
      { apiGroups: ["x.io"], resources: ["unknowns"], verbs: all },
      pods,
    ]);
    expect(memberRightsInNamespace()).toEqual([...usual, pods]);
  });
});
