import { describe, expect, test } from "vitest";
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
