import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CHART, type PolicyRule, type Rendered } from "./chart.ts";

/** One row of the table of what Meridian reads back: which resources, and who may write them. */
export interface BelievedRow {
  what: string;
  /** As `deployments.apps`, `demoapplications.paas.cmft.com/status`. */
  resources: string[];
  /** Words of the table. */
  writers: string;
}

const HEADING = "| what is read back";
const RESOURCE = /`([a-z0-9.]+(?:\/[a-z]+)?)`/g;

/** The table of the chart's README. */
export async function believedRows(): Promise<BelievedRow[]> {
  const lines = (await readFile(join(CHART, "README.md"), "utf8")).split("\n");
  const from = lines.findIndex((line) => line.startsWith(HEADING));
  if (from < 0) throw new Error("the chart's README has no table of what is read back");
  const rows = lines.slice(from + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) => {
      const [what = "", where = "", writers = ""] = line
        .split("|")
        .slice(1)
        .map((cell) => cell.trim());
      return { what, resources: [...where.matchAll(RESOURCE)].map(([, resource = ""]) => resource), writers };
    });
}

interface Role {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  rules?: PolicyRule[] | null;
}

const ROLES = new URL("../../src/sandbox/authorization/roles.json", import.meta.url);
const WRITES = new Set(["create", "update", "patch", "*"]);
const READS = new Set(["get", "list", "watch"]);

/** What Kubernetes' own role of that name allows together with what the chart adds to it. */
export async function tenantRules(name: "edit" | "admin", rendered: readonly Rendered[]): Promise<PolicyRule[]> {
  const builtin = (JSON.parse(await readFile(ROLES, "utf8")) as Role[]).filter(({ kind }) => kind === "ClusterRole");
  const own = builtin.find(({ metadata }) => metadata.name === name);
  if (own === undefined) throw new Error(`Kubernetes has no ClusterRole ${name}`);
  const added = (rendered as readonly Role[]).filter(
    ({ kind, metadata }) =>
      kind === "ClusterRole" && metadata.labels?.[`rbac.authorization.k8s.io/aggregate-to-${name}`] === "true",
  );
  return [own, ...added].flatMap(({ rules }) => rules ?? []);
}

/** Whether the rules let somebody say what stands there. Who only deletes says nothing. */
export function mayWrite(rules: readonly PolicyRule[], resource: string): boolean {
  return resourcesWith(rules, WRITES).has(resource);
}

/** What the manager may write and reads: resources that a role lets it write, and read themselves or in the whole object. */
export function readBack(rules: readonly PolicyRule[]): string[] {
  const read = resourcesWith(rules, READS);
  return [...resourcesWith(rules, WRITES)]
    .filter((one) => read.has(one) || read.has(one.split("/")[0] ?? ""))
    .toSorted();
}

function resourcesWith(rules: readonly PolicyRule[], verbs: ReadonlySet<string>): Set<string> {
  return new Set(
    rules
      .filter((rule) => rule.verbs.some((verb) => verbs.has(verb)))
      .flatMap(({ apiGroups = [], resources = [] }) =>
        apiGroups.flatMap((group) => resources.map((resource) => named(group, resource))),
      ),
  );
}

function named(group: string, resource: string): string {
  return group === "" ? resource : resource.replace(/^([^/]+)/, `$1.${group}`);
}
