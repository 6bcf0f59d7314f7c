import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/apis/index.ts";
import { eventually } from "../../src/cmd/realClusters/index.ts";
import { REPOSITORY } from "./commands.ts";
import { helmOk } from "./helm.ts";
import type { Plane } from "./plane.ts";

/**
 * As whom the managers of tests work on the hub: as an administrator, or with MERIDIAN_E2E_RBAC=chart as the chart's ServiceAccount, with
 * exactly the rights that the chart gives. Then the folder MERIDIAN_E2E_AUDIT gets a line from the hub's API server for each of their requests.
 */
const ACCOUNT = { namespace: "meridian-system", name: "meridian" };

/** Of the tests' managers: they run without webhooks, in namespaces that nobody knows beforehand, and the hub may be a member. */
const VALUES = [
  "image.repository=meridian",
  "webhooks.enabled=false",
  "rbac.secrets.mode=All",
  "localMember.enabled=true",
];

export const USER = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;

/** An API server whose watches begin with no list, as those before 1.34: there the right to list is needed. */
export const LISTING_ARGUMENTS: readonly string[] = ["--feature-gates=WatchList=false"];

const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", users: [USER] }, { level: "None" }],
};

function underChart(): boolean {
  const wanted = process.env["MERIDIAN_E2E_RBAC"] ?? "";
  if (wanted !== "" && wanted !== "chart") throw new Error(`MERIDIAN_E2E_RBAC is ${wanted}: "chart" is all it can be`);
  return wanted === "chart";
}

/** Flags with which the API server of a hub writes down what the managers ask for; none unless that is wanted. */
export async function auditArguments(folder: string): Promise<string[]> {
  const records = process.env["MERIDIAN_E2E_AUDIT"];
  if (!underChart() || records === undefined) return [];
  const policy = join(folder, "audit-policy.yaml");
  await writeFile(policy, JSON.stringify(POLICY));
  const log = join(records, `${randomUUID()}.log`);
  return [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${log}`,
    "--audit-log-mode=blocking",
    ...LISTING_ARGUMENTS,
  ];
}

/** The objects of the chart that say who the manager is and what it may do. */
export async function chartRights(): Promise<KubeObject[]> {
  const templates = ["serviceaccount", "clusterrole", "role"].flatMap((name) => [
    "--show-only",
    `templates/${name}.yaml`,
  ]);
  const values = VALUES.flatMap((value) => ["--set", value]);
  const chart = join(REPOSITORY, "charts/meridian");
  const names = [ACCOUNT.name, chart, "--namespace", ACCOUNT.namespace];
  const rendered = await helmOk(["template", ...names, ...templates, ...values]);
  return parseAllDocuments(rendered).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);
}

const tokens = new WeakMap<Plane, Promise<string>>();

/** With what the managers of tests come to this hub. */
export function managerToken(hub: Plane): Promise<string> {
  if (!underChart()) return Promise.resolve(hub.adminToken);
  const known = tokens.get(hub) ?? tokenOfChart(hub);
  tokens.set(hub, known);
  return known;
}

/** A file for {@link managerToken}, below this folder. */
export async function managerKubeconfig(hub: Plane, folder: string): Promise<string> {
  if (!underChart()) return hub.kubeconfigFile;
  const file = join(folder, `manager-of-${hub.name}.kubeconfig`);
  await writeFile(file, hub.kubeconfigFor({ token: await managerToken(hub) }), { mode: 0o600 });
  return file;
}

async function tokenOfChart(hub: Plane): Promise<string> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: ACCOUNT.namespace } };
  for (const object of [namespace, ...(await chartRights())]) await hub.api.apply(pathOf(object), object);
  // Bindings reach the authorizer a moment later: one of each kind tells.
  const asked = [
    { group: "paas.cmft.com", resource: "demoapplications", verb: "patch" },
    { group: "coordination.k8s.io", resource: "leases", verb: "create", namespace: ACCOUNT.namespace },
  ];
  for (const resourceAttributes of asked) {
    await eventually(async () => {
      const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: { name: "" } };
      const spec = { user: USER, groups: ["system:serviceaccounts"], resourceAttributes };
      const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      const { status } = await hub.api.create<KubeObject & { status: { allowed: boolean } }>(path, { ...review, spec });
      if (!status.allowed) throw new Error(`${USER} may not ${resourceAttributes.verb} ${resourceAttributes.resource}`);
    });
  }
  const path = `/api/v1/namespaces/${ACCOUNT.namespace}/serviceaccounts/${ACCOUNT.name}/token`;
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: { name: ACCOUNT.name } };
  const { status } = await hub.api.create<KubeObject & { status: { token: string } }>(path, {
    ...request,
    spec: { expirationSeconds: 36_000 },
  });
  return status.token;
}

const PATHS: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ServiceAccount: "/api/v1/namespaces/NAMESPACE/serviceaccounts",
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings",
};

function pathOf({ kind, metadata }: KubeObject): string {
  const path = PATHS[kind];
  if (path === undefined) throw new Error(`${kind} ${metadata.name} is no right`);
  return `${path.replace("NAMESPACE", metadata.namespace ?? "")}/${metadata.name}`;
}
