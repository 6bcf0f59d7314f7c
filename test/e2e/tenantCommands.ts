import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject } from "../../src/apis/index.ts";
import { type CommandResult, eventually, MERIDIAN, meridian, REPOSITORY } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";
import { collectionPath } from "./objects.ts";

const RBAC = "rbac.authorization.k8s.io";

export const [OWN_TEAM, OTHER_TEAM] = ["own-team", "other-team"];

const HIDDEN = /^Hidden from you: clusteroverridepolicies, clusterplacements, memberclusters\./m;
const NO_CLUSTERS = /your rights on the hub do not show member clusters/;
const ELSEWHERE = /give -n NAMESPACE of one that your rights reach/;

/** What a person who has `view` (or `edit`) in the namespace of one team is told. `FILE` is an application that is not on the hub. */
export const TENANT_COMMANDS: readonly { line: string; code: number; says: RegExp; by?: "editor" }[] = [
  { line: "status", code: 0, says: /shop +1\/1 +1\/1 [^]*do not show member clusters/ },
  { line: "status shop", code: 0, says: /shop +shanghai-1 +cn-shanghai +Available/ },
  { line: "status -A", code: 2, says: /leave out --all-namespaces, give -n NAMESPACE, or ask its administrator/ },
  { line: "status pay", code: 2, says: /no demoapplication "pay" in namespace own-team; name one of these: shop/ },
  {
    line: "status membercluster/shanghai-1",
    code: 2,
    says: /ask its administrator for the right to list memberclusters/,
  },
  { line: "plan -f FILE", code: 1, says: HIDDEN },
  { line: "plan -f FILE", code: 1, says: HIDDEN, by: "editor" },
  { line: "plan -f FILE -n default", code: 1, says: HIDDEN },
  { line: "plan --without shanghai-1", code: 1, says: HIDDEN },
  { line: "plan --drain frankfurt-1", code: 2, says: NO_CLUSTERS },
  { line: "explain shop", code: 0, says: HIDDEN },
  { line: "explain shop --cluster frankfurt-1", code: 2, says: NO_CLUSTERS },
  { line: "explain pay", code: 2, says: /no DemoApplication "pay" in namespace own-team/ },
  { line: "rollout history shop", code: 0, says: /has no revisions/ },
  { line: "rollout approve shop", code: 2, says: /has no rollout; there is nothing to approve/, by: "editor" },
  { line: "drain shanghai-1 --yes", code: 2, says: /refuses: .*memberclusters.*ask its administrator for this right/ },
  { line: `status -n ${OTHER_TEAM}`, code: 2, says: ELSEWHERE },
  { line: `rollout history shop -n ${OTHER_TEAM}`, code: 2, says: ELSEWHERE },
];

/** A person at the command line who has one of Kubernetes' roles in one namespace of the hub, which is that of the context. */
export interface TenantAtCommandLine {
  run: (...args: string[]) => Promise<CommandResult>;
  /** Interrupts the command once its output matches. */
  until: (pattern: RegExp, ...args: string[]) => Promise<CommandResult>;
}

/** Binds `view`, `edit` or `admin`, to which `meridian install` has added Meridian's kinds, in the namespace. */
export async function tenantWithRole(
  federation: Federation,
  namespace: string,
  role: "view" | "edit" | "admin",
): Promise<TenantAtCommandLine> {
  const { hub, api } = federation;
  await api.create(collectionPath("ServiceAccount", namespace), {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: role },
  });
  await federation.apply({
    apiVersion: `${RBAC}/v1`,
    kind: "RoleBinding",
    metadata: { name: role, namespace },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", namespace, name: role }],
  } as KubeObject);
  const token = await hub.serviceAccountToken(namespace, role, 3_600);
  const kubeconfigFile = join(federation.fleet.dir, `${namespace}-${role}.kubeconfig`);
  const kubeconfig = hub.kubeconfigFor({ token }).replace("context: {", `context: {namespace: ${namespace}, `);
  await writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });
  const run = (...args: string[]): Promise<CommandResult> => meridian({ kubeconfigFile }, args);
  // The controller manager of the hub sums roles up in its own time.
  await eventually(async () => {
    const { stderr } = await run("status", "-n", namespace);
    if (/cannot (list|get)/.test(stderr)) throw new Error(stderr);
  });
  return { run, until: (pattern, ...args) => interrupted(pattern, [...args, "--kubeconfig", kubeconfigFile]) };
}

async function interrupted(pattern: RegExp, args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [...MERIDIAN, ...args], {
    cwd: REPOSITORY,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  const result: CommandResult = { code: 0, stdout: "", stderr: "" };
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (result.stderr += chunk));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    result.stdout += chunk;
    if (pattern.test(result.stdout)) child.kill("SIGINT");
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { ...result, code: code ?? 128 };
}
