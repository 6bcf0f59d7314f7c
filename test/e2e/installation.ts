import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import type { DemoApplication, KubeObject } from "../../src/apis/index.ts";
import { clusterPlacement, demoApplication, placement } from "../builders/index.ts";
import {
  type CommandResult,
  eventually,
  type Fleet,
  type FleetMember,
  type Manager,
  MERIDIAN,
  meridianOk,
  type Plane,
  REPOSITORY,
  startManager,
} from "../envtest/index.ts";
import { startFleetHere } from "./federation.ts";
import { collectionPath, type Deployment, objectPath, pathOf } from "./objects.ts";

/** A fleet as somebody has it who then wants to be rid of Meridian, and what is to be seen of Meridian in its clusters. */

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const RBAC_KINDS = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"];
const MERIDIANS = /meridian|paas\.cmft\.com/;
export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const ADMISSION = ["mutating", "validating"].map(
  (kind) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`,
);
export const SYSTEM = "meridian-system";
/** Where applications are; the members have only the first of them. */
const NAMESPACES = ["default", "team-a"];

export interface Installation {
  manager: Manager;
}

/** Installs, starts a manager with install's own rights, joins every member, and places three applications. */
export async function setUp(fleet: Fleet<Plane>, managerArgs: string[] = []): Promise<Installation> {
  const { hub } = fleet;
  const rights = managerArgs.includes("--webhooks") ? ["--webhooks"] : [];
  await meridianOk(hub, ["install", ...rights]);
  const manager = await startManager({ hub: await asManager(fleet), folder: fleet.dir, args: managerArgs });
  await Promise.all(fleet.members.map((member) => joinMember(fleet, member)));
  await eventually(() => ensureNamespace(hub, "team-a"), { timeout: 60_000, message: "the namespace of before goes" });
  for (const object of [
    clusterPlacement("everywhere").object(),
    placement("first")
      .namespace("team-a")
      .of("api")
      .onClusters(fleet.members[0]?.name ?? "")
      .object(),
    ...applications(),
  ]) {
    await hub.api.apply(pathOf(object), object);
  }
  await eventually(
    async () => {
      for (const { metadata } of applications()) {
        const { status } = await hub.api.get<DemoApplication>(pathOf({ kind: "DemoApplication", metadata }));
        expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Available", status: "True" }));
      }
    },
    { timeout: 60_000 },
  ).catch(async (error: unknown) => {
    throw new Error(`not available:\n${await manager.logTail(40)}`, { cause: error });
  });
  return { manager };
}

/** Throws while the one that a test before took away is still going. */
async function ensureNamespace({ api }: Plane, name: string): Promise<void> {
  const present = await api.find<KubeObject>(objectPath("Namespace", undefined, name));
  if (present?.metadata.deletionTimestamp !== undefined) throw new Error(`${name} is being deleted`);
  if (present !== undefined) return;
  await api.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

export function applications() {
  return [
    demoApplication("shop").namespace("default").replica(2).port(80).object(),
    demoApplication("api").namespace("team-a").replica(1).port(80).object(),
    demoApplication("web").namespace("team-a").replica(1).object(),
  ];
}

function joinMember({ hub }: Fleet<Plane>, { name, region, plane }: FleetMember<Plane>): Promise<CommandResult> {
  return meridianOk(hub, ["join", name, "--member-kubeconfig", plane.kubeconfigFile, "--region", region]);
}

/** The hub as the account sees it that install makes. */
export async function asManager({ hub, dir }: Fleet<Plane>): Promise<Plane> {
  const account = `/api/v1/namespaces/${SYSTEM}/serviceaccounts/meridian-manager/token`;
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3_600 } };
  const { status } = await hub.api.create<{ status: { token: string } }>(account, request);
  const kubeconfigFile = join(dir, "manager.kubeconfig");
  await writeFile(kubeconfigFile, hub.kubeconfigFor({ token: status.token }), { mode: 0o600 });
  return Object.create(hub, { kubeconfigFile: { value: kubeconfigFile } }) as Plane;
}

/** Everything in a cluster that is there because of Meridian, whatever its labels say; pods and what tells of them aside. */
export async function traces({ api }: Plane): Promise<string[]> {
  const paths = [
    CRDS,
    ...ADMISSION,
    ...RBAC_KINDS.map((plural) => `${RBAC}/${plural}`),
    ...["namespaces", "serviceaccounts", "secrets", "configmaps", "services"].map((plural) => `/api/v1/${plural}`),
    "/apis/apps/v1/deployments",
    "/apis/coordination.k8s.io/v1/leases",
  ];
  const lists = await Promise.all(paths.map((path) => api.list(path)));
  return lists.flatMap((items, index) =>
    items
      .filter(({ metadata: { name, namespace, labels, annotations } }) =>
        MERIDIANS.test(JSON.stringify([name, namespace, labels, annotations])),
      )
      .map(({ metadata }) => `${paths[index]?.split("/").at(-1)}/${metadata.namespace ?? ""}/${metadata.name}`),
  );
}

/** Waits for the clusters' own controllers: they empty namespaces and collect what belongs to what is gone. */
export async function expectNoTraces(planes: readonly Plane[]): Promise<void> {
  await eventually(async () => expect(await Promise.all(planes.map(traces))).toEqual(planes.map(() => [])), {
    timeout: 60_000,
    interval: 250,
  });
}

/** What runs on a member, so that one sees whether anybody has touched more of it than its metadata. */
export async function running({ plane }: FleetMember<Plane>): Promise<string[]> {
  const [deployments, pods] = await Promise.all([
    plane.api.list<Deployment>(collectionPath("Deployment")),
    plane.api.list<KubeObject>(collectionPath("Pod")),
  ]);
  return [
    ...deployments.map(({ metadata, spec }) => ({ metadata, version: JSON.stringify(spec) })),
    ...pods.map(({ metadata }) => ({ metadata, version: metadata.resourceVersion })),
  ]
    .map(({ metadata, version }) => `${metadata.namespace}/${metadata.name} ${metadata.uid} ${version}`)
    .sort();
}

/** Takes away what an orphaning left, so that the next test finds bare members. */
export async function clear(members: readonly FleetMember<Plane>[]): Promise<void> {
  for (const { plane } of members) {
    for (const namespace of NAMESPACES) {
      for (const kind of ["Deployment", "Service"]) {
        for (const { metadata } of await plane.api.list(collectionPath(kind, namespace))) {
          if (metadata.name !== "kubernetes") await plane.api.delete(objectPath(kind, namespace, metadata.name));
        }
      }
    }
    await plane.api.delete(objectPath("Namespace", undefined, "team-a"));
  }
}

/** `meridian uninstall` that is watched while it works. */
export class Uninstalling {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #listener: (line: string) => void = () => undefined;

  constructor(hub: Plane, args: string[]) {
    this.#child = spawn(process.execPath, [...MERIDIAN, "uninstall", ...args, "--kubeconfig", hub.kubeconfigFile], {
      cwd: REPOSITORY,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream === null) throw new Error("its output is not piped");
      createInterface({ input: stream }).on("line", (line) => {
        this.lines.push(line);
        this.#listener(line);
      });
    }
    this.#ended = once(this.#child, "close").then(([code]) => code as number | null);
  }

  /** Called for every line from now on. */
  onLine(listener: (line: string) => void): void {
    this.#listener = listener;
  }

  /** Resolves with the exit code; null when it was killed. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  get output(): string {
    return this.lines.join("\n");
  }
}

/** What it says when there is nothing left to do for the manager. */
export const STOP_MANAGER = /^wait until the manager is stopped/;

/** Runs it to its end, and stops the manager when it asks for that. */
export async function uninstall(
  hub: Plane,
  args: string[],
  manager?: Manager,
): Promise<{ code: number | null; output: string }> {
  const run = new Uninstalling(hub, args);
  let stopping: Promise<unknown> | undefined;
  run.onLine((line) => {
    if (STOP_MANAGER.test(line)) stopping ??= manager?.stop();
  });
  const code = await run.ended;
  await stopping;
  return { code, output: run.output };
}

/** They copy the labels of a Service onto its Endpoints and EndpointSlices, as on every real cluster. */
export const ENDPOINT_CONTROLLERS: readonly string[] = ["endpoints-controller", "endpointslice-controller"];

/** A hub and two members, for an installation after the other. */
export function startFleet(): Promise<Fleet<Plane>> {
  return startFleetHere({
    hub: { kubelet: false },
    members: [
      { name: "shanghai-1", region: "cn-shanghai", moreControllers: ENDPOINT_CONTROLLERS },
      { name: "frankfurt-1", region: "eu-central-1", moreControllers: ENDPOINT_CONTROLLERS },
    ],
  });
}

/** Ends the manager of a test, with the end of its log where the test has failed. */
export async function end(installation: Installation | undefined, failed: boolean): Promise<void> {
  const manager = installation?.manager;
  if (failed && manager !== undefined) process.stderr.write(`--- manager\n${await manager.logTail(30)}\n`);
  await manager?.[Symbol.asyncDispose]();
}
