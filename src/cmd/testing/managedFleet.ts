import { startManager } from "../quickstart/managerProcess.ts";
import { SandboxHub } from "./sandboxHub.ts";

/** A hub of the sandbox with members, and a manager that listens on this machine. */
export async function managedFleet(...members: string[]): Promise<{ fleet: SandboxHub } & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const fleet = stack.use(await SandboxHub.start());
  for (const name of members) await fleet.join(name, { controllers: {} });
  stack.use(
    startManager(
      {
        kubeconfig: fleet.file("hub"),
        namespace: "meridian-system",
        leaseName: "meridian",
        logLevel: "warn",
        logFile: fleet.file("manager.log"),
        metricsHost: "127.0.0.1",
        metricsPort: 0,
        queries: {},
        leaderElect: true,
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 200,
        reconcileTimeoutMs: 30_000,
        concurrency: { most: 8, least: 2 },
        identity: "manager",
        allowExecCredentials: false,
      },
      () => undefined,
    ),
  );
  return { fleet, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
