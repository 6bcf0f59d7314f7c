import type { FederatedStatus } from "../../apis/index.ts";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { Decisions } from "../object/decisions.ts";
import type { Plan } from "../states/index.ts";
import { StatusReconciler } from "../status/status.ts";
import { observation } from "./builders.ts";
import { APP, placing } from "./planning.ts";

/** Report of a member about a copy with too few ready replicas. */
export const degraded = { health: { state: "Degraded", message: "1 of 2 ready" } };

/** The status controller together with the placement controller. */
export async function reporting(...given: Parameters<typeof placing>) {
  const all = await placing(...given);
  const reconciler = new StatusReconciler({
    ...all.shared,
    events: all.recorder,
    warnings: { warn: (_key, warning) => all.recorder.record(warning) },
  });
  const woken = all.wokenBy(reconciler);
  const report = (key = APP) => all.reconcileBy(reconciler, key);
  const status = (): FederatedStatus | undefined => all.onHub()["status"] as FederatedStatus | undefined;
  const writes = (): number => all.hub.count("applyStatus", DEMOAPPLICATIONS);
  const conditions = (): string[] =>
    (status()?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);
  const clusterStates = (): string[] => (status()?.clusters ?? []).map(({ name, state }) => `${name} ${state}`);
  /** The application runs everywhere, and its status says so. */
  const complete = async (): Promise<void> => {
    await all.plan();
    for (const name of ["a", "b"]) all.carryOut(name);
    await report();
    await all.settle(1_000);
    woken.length = 0;
  };
  /** Reports a change of the copy on the cluster. */
  const happens = (on: string, present: object = {}): void => {
    const row = all.rows().find(({ cluster }) => cluster === on);
    if (row?.verb !== "Apply") throw new Error(`nothing is asked for on ${on}`);
    const { ref, owner, hash } = row;
    all.observations.report(on, [
      observation({ cluster: on, ref, inSyncWith: hash, revision: 1_000_000, present: { owner, hash, ...present } }),
    ]);
  };
  const planned = (): Plan => {
    const plan = all.states.planOf(APP);
    if (plan === undefined) throw new Error("there is no plan");
    return plan;
  };
  /** Sets the same plan with this change. */
  const replan = (change: Partial<Plan>): void => all.states.setPlan(APP, { ...planned(), ...change });
  /** Sets changed rows for the same member objects, as after a change of the application. */
  const changeRows = (): void => {
    const changed = all.rows().map((row) => (row.verb === "Apply" ? { ...row, hash: `${row.hash}'` } : row));
    all.assignments.replace(APP, changed);
  };
  return {
    decisions: new Decisions(all.shared),
    ...{ ...all, reconciler, woken, report, status, writes, conditions, clusterStates, complete, happens },
    ...{ planned, replan, changeRows },
  };
}
