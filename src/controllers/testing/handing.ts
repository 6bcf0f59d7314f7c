import { CONTROLLER_CLASS_LABEL, finalizerOf, OBJECT_FINALIZER } from "../../apis/index.ts";
import { ownerRefOf } from "../../desiredstate/index.ts";
import { HandoverReconciler } from "../object/handover.ts";
import { observation } from "./builders.ts";
import { APP, app, placing, statusOn } from "./planning.ts";

export const CANARY = finalizerOf(OBJECT_FINALIZER, "canary");
export const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
export const TO_CANARY = { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } };

interface Given {
  /** Additional fields for the application's spec. */
  spec?: object;
  status?: object;
}

/** The handover controller of the default class, on a hub in memory. */
export async function handing(
  metadata: object,
  { spec = {}, status = statusOn("a", "b"), ...more }: Given & Parameters<typeof placing>[0] = {},
) {
  const all = await placing({ apps: [{ ...app(metadata, spec), ...status }], ...more });
  /** The end of the last write of the status. */
  const under = { write: Promise.resolve() };
  const reconciler = new HandoverReconciler({
    ...all.shared,
    events: all.recorder,
    store: { settled: () => under.write },
  });
  const woken = all.wokenBy(reconciler);
  const handOver = () => all.reconcileBy(reconciler, APP);
  /** Reports a copy that names the object. */
  const report = (cluster: string, present: object = {}, more: object = {}): void => {
    const owner = ownerRefOf(all.onHub());
    all.observations.report(cluster, [
      observation({ cluster, ref: DEPLOYMENT, present: { owner, ...present }, ...more }),
    ]);
  };
  const finalizers = (): readonly string[] => all.onHub().metadata.finalizers ?? [];
  return {
    ...all,
    under,
    reconciler,
    woken,
    handOver,
    report,
    finalizers,
  };
}
