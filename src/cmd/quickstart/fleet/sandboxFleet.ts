import { defined } from "../../../apis/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../../sandbox/index.ts";
import { CommandError } from "../../shared/index.ts";
import type { FaultPlan } from "./faultPlan.ts";
import { type FleetCluster, type FleetRequest, HUB, type QuickstartFleet, zoneOf } from "./fleet.ts";

/** Starts a hub and members as sandbox clusters in this process. */
export async function startSandboxFleet(request: FleetRequest): Promise<QuickstartFleet> {
  const { regions, signal } = request;
  await using stack = new AsyncDisposableStack();
  const start = async (name: string): Promise<FleetCluster> => {
    const cluster = stack.use(await startOne(name, request));
    const kubeconfigFile = request.kubeconfigFileOf(name);
    await request.write(kubeconfigFile, cluster.kubeconfig());
    return { name, kubeconfigFile, setFault: async (plan) => setFault(cluster, plan) };
  };
  // Wait for all clusters, so that no started cluster is left behind when another cannot start.
  const settled = await Promise.allSettled([HUB, ...regions].map(start));
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  signal.throwIfAborted();
  const [hub, ...started] = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (hub === undefined) throw new Error("the hub did not start");
  const members = started.map((member) => ({ ...member, region: member.name, zone: zoneOf(member.name) }));
  const owned = stack.move();
  return { kind: "sandbox", hub, members, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function startOne(name: string, { ports, kept, folderOf, say }: FleetRequest): Promise<SandboxCluster> {
  const port = ports[name];
  try {
    return await startSandboxCluster({
      name,
      ...defined({ port }),
      ...(kept ? { directory: folderOf(name) } : {}),
      onError: (error) => say(`${name}: ${error instanceof Error ? error.message : String(error)}`),
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The original error already names the port, folder or file.
    throw new CommandError(`the sandbox cluster ${name} cannot start`, { cause: error });
  }
}

function setFault({ faults }: SandboxCluster, plan: FaultPlan | undefined): undefined {
  faults.clear();
  if (plan === undefined) return;
  faults.set(plan.settings);
  if (plan.crash) faults.crash();
}
