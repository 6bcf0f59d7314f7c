import { defined } from "../../../apis/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../../sandbox/index.ts";
import { CommandError } from "../../shared/index.ts";
import type { FaultPlan } from "./faultPlan.ts";
import { type FleetCluster, type FleetRequest, type QuickstartFleet, startAll } from "./fleet.ts";

export async function startSandboxFleet(request: FleetRequest): Promise<QuickstartFleet> {
  const { signal } = request;
  await using stack = new AsyncDisposableStack();
  const start = async (name: string): Promise<FleetCluster> => {
    const cluster = stack.use(await startOne(name, request));
    const kubeconfigFile = request.kubeconfigFileOf(name);
    await request.write(kubeconfigFile, cluster.kubeconfig());
    return { name, kubeconfigFile, setFault: async (plan) => setFault(cluster, plan) };
  };
  const clusters = await startAll(request, start);
  signal.throwIfAborted();
  const owned = stack.move();
  return { kind: "sandbox", ...clusters, [Symbol.asyncDispose]: () => owned.disposeAsync() };
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
