import { defined } from "../../../apis/index.ts";
import { mkdir } from "node:fs/promises";
import { CommandError } from "../../shared/index.ts";
import {
  AssetsUnavailableError,
  type ControlPlane,
  controlPlaneAssets,
  FakeKubelet,
  HUB_CONTROLLERS,
  startControlPlane,
  startEtcd,
} from "../../realClusters/index.ts";
import type { FaultPlan } from "./faultPlan.ts";
import { type FleetCluster, type FleetRequest, HUB, type QuickstartFleet, zoneOf } from "./fleet.ts";

/** Images whose pods never start, as in the sandbox, so that people can try a failure. */
const MISSING_IMAGE = /does-not-exist/;

/** Starts a hub and members as real control planes that share one etcd. */
export async function startRealFleet(request: FleetRequest, env: NodeJS.ProcessEnv): Promise<QuickstartFleet> {
  const { regions, folderOf, say, signal } = request;
  const assets = await controlPlaneAssets({ env, say, signal }).catch((error: unknown) => {
    throw error instanceof AssetsUnavailableError ? new CommandError(error.message) : error;
  });
  await using stack = new AsyncDisposableStack();
  const folder = folderOf("etcd");
  await mkdir(folder, { recursive: true });
  const etcd = stack.use(await startEtcd(assets, folder));

  const start = async (name: string): Promise<FleetCluster> => {
    const port = request.ports[name];
    const plane = await startControlPlane({
      name,
      assets,
      etcd,
      folder: folderOf(name),
      // A Deployment on the hub is only a template for members, so it gets no pods there.
      ...(name === HUB ? { controllers: HUB_CONTROLLERS } : {}),
      ...defined({ port }),
      signal,
    });
    stack.use(plane);
    if (name !== HUB) stack.use(new FakeKubelet(plane)).failImages(MISSING_IMAGE);
    const kubeconfigFile = request.kubeconfigFileOf(name);
    await request.write(kubeconfigFile, plane.kubeconfig);
    return { name, kubeconfigFile, setFault: (plan) => setFault(plane, plan) };
  };
  // Wait for all clusters, so that no started cluster is left behind when another cannot start.
  const settled = await Promise.allSettled([HUB, ...regions].map(start));
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const [hub, ...started] = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (hub === undefined) throw new Error("the hub did not start");
  const members = started.map((member) => ({ ...member, region: member.name, zone: zoneOf(member.name) }));
  const owned = stack.move();
  return { kind: "real", hub, members, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function setFault(plane: ControlPlane, plan: FaultPlan | undefined): Promise<string | undefined> {
  plane.resume();
  if (plan?.crash === true) {
    await plane.kill();
    return undefined;
  }
  await plane.start();
  const { partition, ...others } = plan?.settings ?? {};
  if (partition !== undefined) plane.pause();
  return Object.keys(others).length === 0 ? undefined : "real control planes know only partition and crash";
}
