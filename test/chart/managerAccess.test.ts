import { describe, expect, test } from "vitest";
import {
  clusterRoleName,
  MANAGER_ACCOUNT,
  type ManagerAccess,
  managerObjects,
} from "../../src/cmd/workload/managerAccess.ts";
import { NAMESPACE, render, type Rendered } from "./chart.ts";
import { grantedRights, type GrantedRight } from "./rights.ts";

/** `meridian install` and the chart give a manager the same rights, each in its own words. */

const CONFIGURATION = "hooks";

const CASES: { name: string; access: Partial<ManagerAccess>; values: string[] }[] = [
  { name: "without webhooks", access: {}, values: ["webhooks.enabled=false"] },
  { name: "with webhooks", access: { webhookConfiguration: CONFIGURATION }, values: ["webhooks.enabled=true"] },
  {
    name: "with the hub as a member",
    access: { localMember: true },
    values: ["webhooks.enabled=false", "localMember.enabled=true"],
  },
  {
    name: "with kinds that policies place",
    access: {
      kinds: [
        { group: "", plural: "services", status: false },
        { group: "mysql.presslabs.org", plural: "mysqlclusters", status: true },
      ],
    },
    values: [
      "webhooks.enabled=false",
      "rbac.kinds[0].group=,rbac.kinds[0].resources={services}",
      "rbac.kinds[1].group=mysql.presslabs.org,rbac.kinds[1].resources={mysqlclusters},rbac.kinds[1].status=true",
    ],
  },
  {
    name: "with Secrets of two namespaces",
    access: { secretsOf: ["team-a", "team-b"] },
    values: ["webhooks.enabled=false", "rbac.secrets.namespaces={team-a,team-b}"],
  },
];

/** Nobody else brings the configurations where there is no chart. */
const OWN_CONFIGURATIONS = ["mutating", "validating"].map(
  (kind) => `create admissionregistration.k8s.io/${kind}webhookconfigurations everywhere [${CONFIGURATION}]`,
);

/** One line for each right; the webhook configurations by one name, whatever the chart calls them. */
function lines(rights: readonly GrantedRight[]): string[] {
  const called = (right: GrantedRight): string => {
    if (right.names === undefined) return "";
    return right.group === "admissionregistration.k8s.io" ? ` [${CONFIGURATION}]` : ` [${right.names.join()}]`;
  };
  return [
    ...new Set(
      rights.map((right) => {
        const where = right.namespace === undefined ? "everywhere" : `in ${right.namespace}`;
        return `${right.verb} ${right.group}/${right.resource} ${where}${called(right)}`;
      }),
    ),
  ].toSorted();
}

/** The roles of Kubernetes that a role with these labels is part of. */
function into(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.keys(labels)
    .flatMap((key) => /aggregate-to-(.*)$/.exec(key)?.[1] ?? [])
    .toSorted();
}

describe("the rights that install gives a manager are those of the chart", () => {
  test.each(CASES)("$name", async ({ access, values }) => {
    const wanted: ManagerAccess = {
      namespace: NAMESPACE,
      leaseName: "meridian",
      localMember: false,
      secretsOf: [],
      ...access,
    };
    const installed = managerObjects(wanted) as Rendered[];
    const rendered = await render(values.flatMap((value) => ["--set", value]));
    const own = lines(grantedRights(installed, { namespace: NAMESPACE, name: MANAGER_ACCOUNT }));
    const charts = lines(grantedRights(rendered, { namespace: NAMESPACE, name: "meridian" }));
    const more = access.webhookConfiguration === undefined ? [] : OWN_CONFIGURATIONS;
    expect(own).toEqual([...charts, ...more].toSorted());
    expect(own.length).toBeGreaterThan(20);
  });

  test("view, edit and admin of a namespace reach the same", async () => {
    const access = { namespace: NAMESPACE, leaseName: "meridian", localMember: false, secretsOf: [] };
    const aggregated = (objects: Rendered[]) =>
      objects
        .filter(({ kind, metadata }) => kind === "ClusterRole" && into(metadata.labels).length > 0)
        .map(({ metadata, rules }) => ({ into: into(metadata.labels), rules }));
    const own = aggregated(managerObjects(access) as Rendered[]);
    expect(own.map((role) => role.into)).toEqual([["view"], ["admin", "edit"]]);
    expect(own).toEqual(aggregated(await render()));
  });

  test("their names are not those of the chart, so that neither takes the other's", async () => {
    const rendered = await render();
    const names = rendered.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names).not.toContain(`ClusterRole/${clusterRoleName({ namespace: NAMESPACE })}`);
    expect(names).not.toContain(`ServiceAccount/${MANAGER_ACCOUNT}`);
  });
});
