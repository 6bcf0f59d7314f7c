import { beforeAll, describe, expect, test } from "vitest";
import { believedRows, mayWrite, readBack, tenantRules } from "./believed.ts";
import { type PolicyRule, render, type Rendered } from "./chart.ts";

const rows = await believedRows();
let rendered: Rendered[];
let tenants: PolicyRule[][];

beforeAll(async () => {
  rendered = await render(["--set", "localMember.enabled=true"]);
  tenants = [await tenantRules("edit", rendered), await tenantRules("admin", rendered)];
});

describe("the table of what Meridian reads back", () => {
  test.each(rows)("says who may write $what", ({ resources, writers }) => {
    expect(resources).not.toEqual([]);
    const isTenants = writers !== "no tenant";
    if (isTenants) expect(writers).toMatch(/^tenants( of (Meridian's own namespace|the member))?$/);
    for (const resource of resources)
      expect({ resource, mayWrite: tenants.map((rules) => mayWrite(rules, resource)) }).toEqual({
        resource,
        mayWrite: [isTenants, isTenants],
      });
  });

  test("names all that the manager may both write and read", () => {
    const roles = rendered.filter(
      ({ kind, metadata }) =>
        (kind === "ClusterRole" || kind === "Role") &&
        !Object.keys(metadata.labels ?? {}).some((label) => label.includes("/aggregate-to-")),
    );
    const named = rows.flatMap(({ resources }) => resources);
    expect(readBack(roles.flatMap(({ rules = [] }) => rules)).filter((one) => !named.includes(one))).toEqual([]);
  });

  test("is of rules that say something", () => {
    for (const rules of tenants) {
      expect(mayWrite(rules, "configmaps")).toBe(true);
      expect(mayWrite(rules, "placements.federation.paas.cmft.com")).toBe(true);
      expect(mayWrite(rules, "demoapplications.paas.cmft.com/scale")).toBe(true);
    }
  });
});
