import { describe, expect, test } from "vitest";
import { crdNameOf, KINDS } from "../../apis/index.ts";
import { INSTALLED_LABELS, installedNamespace, isInstalled, managerObjects } from "./managerAccess.ts";

const access = {
  namespace: "fed",
  leaseName: "meridian",
  webhookConfiguration: "hooks",
  localMember: true,
  secretsOf: ["team-a"],
};

describe("what install makes", () => {
  test("has its labels, all of it", () => {
    for (const object of [installedNamespace("fed"), ...managerObjects(access)]) expect(isInstalled(object)).toBe(true);
  });

  test("is not what a chart makes, nor what anybody else does", () => {
    const labelled = (labels?: Record<string, string>) =>
      isInstalled({ metadata: { name: "x", ...(labels === undefined ? {} : { labels }) } });
    expect(labelled({ ...INSTALLED_LABELS, "app.kubernetes.io/managed-by": "Helm" })).toBe(false);
    expect(labelled({ "app.kubernetes.io/part-of": "meridian" })).toBe(false);
    expect(labelled()).toBe(false);
  });

  test("gives no wildcard, and no right to give rights", () => {
    const text = JSON.stringify(managerObjects(access));
    expect(text).not.toContain("*");
    for (const verb of ["bind", "escalate", "impersonate"]) expect(text).not.toContain(`"${verb}"`);
  });

  test("lets the manager have every kind converted, and bring the objects of each kind of several versions to one", () => {
    const role = managerObjects(access).find(({ kind }) => kind === "ClusterRole");
    const rules = role?.["rules"] as { resources: string[]; resourceNames?: string[]; verbs: string[] }[];
    const verbsOn = (resource: string, name?: string) =>
      rules
        .filter(({ resources }) => resources.includes(resource))
        .filter(({ resourceNames }) => resourceNames === undefined || resourceNames.includes(name ?? ""))
        .flatMap(({ verbs }) => verbs);
    for (const kind of KINDS) {
      const name = crdNameOf(kind);
      expect(verbsOn("customresourcedefinitions", name), name).toEqual(
        expect.arrayContaining(["get", "list", "watch", "patch"]),
      );
      if (kind.versions.length === 1) continue;
      expect(verbsOn(kind.plural), name).toEqual(expect.arrayContaining(["list", "patch"]));
      expect(verbsOn("customresourcedefinitions/status", name), name).toEqual(["patch"]);
    }
  });

  test("binds every role to the account and to nobody else", () => {
    const objects = managerObjects(access);
    const subject = { kind: "ServiceAccount", namespace: "fed", name: "meridian-manager" };
    const bindings = objects.filter(({ kind }) => kind.endsWith("Binding"));
    expect(bindings).toHaveLength(3);
    for (const { kind, metadata, roleRef, subjects } of bindings as ((typeof objects)[number] & {
      roleRef: unknown;
    })[]) {
      expect(subjects).toEqual([subject]);
      expect(roleRef).toMatchObject({ kind: kind.replace("Binding", ""), name: metadata.name });
    }
  });
});
