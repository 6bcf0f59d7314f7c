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
import { type FleetCluster, type FleetRequest, HUB, type QuickstartFleet, startAll } from "./fleet.ts";

/** Pods with such images never start, as in the sandbox. */
const MISSING_IMAGE = /does-not-exist/;

/** A hub and members that share one etcd. */
export async function startRealFleet(request: FleetRequest, env: NodeJS.ProcessEnv): Promise<QuickstartFleet> {
  const { folderOf, say, signal } = request;
  const assets = await controlPlaneAssets({ env, say, signal }).catch((error: unknown) => {
    throw error instanceof AssetsUnavailableError ? new CommandError(error.message) : error;
  });
  await using stack = new AsyncDisposableStack();
  const folder = folderOf("etcd");
  await mkdir(folder, { recursive: true });
  const etcd = stack.use(await startEtcd(assets, folder));

  const start = async (name: string): Promise<FleetCluster> => {
    const plane = await startControlPlane({
      name,
      assets,
      etcd,
      folder: folderOf(name),
      // A Deployment on the hub is only a template for members, so it gets no pods there.
      ...(name === HUB ? { controllers: HUB_CONTROLLERS } : {}),
      ...defined({ port: request.ports[name] }),
      signal,
    });
    stack.use(plane);
    if (name !== HUB) stack.use(new FakeKubelet(plane)).failImages(MISSING_IMAGE);
    const kubeconfigFile = request.kubeconfigFileOf(name);
    await request.write(kubeconfigFile, plane.kubeconfig);
    return { name, kubeconfigFile, setFault: (plan) => setFault(plane, plan) };
  };
  const clusters = await startAll(request, start);
  const owned = stack.move();
  return { kind: "real", ...clusters, [Symbol.asyncDispose]: () => owned.disposeAsync() };
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
