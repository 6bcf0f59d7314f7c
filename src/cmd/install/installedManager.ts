import type { Condition, KubeObject } from "../../apis/index.ts";
import { type Client, DEPLOYMENTS, listAll, PODS } from "../../runtime/index.ts";
import {
  type CommandContext,
  CommandError,
  commandLogger,
  describeRelease,
  EXIT,
  follow,
  onOneLine,
  Progress,
  releaseOf,
} from "../shared/index.ts";
import type { InstallOptions } from "./verb.ts";
import { MANAGER_DEPLOYMENT, MANAGER_SELECTOR } from "../workload/index.ts";

const OF_HELM = "app.kubernetes.io/part-of=meridian,app.kubernetes.io/managed-by=Helm";

/** Throws {@link CommandError} beside managers of a Helm release: two sets would revert each other's writes. */
export async function refuseBesideRelease(hub: Client, signal: AbortSignal): Promise<void> {
  const selection = { client: hub, type: DEPLOYMENTS, labelSelector: OF_HELM };
  const deployments = await listAll(selection, { metadataOnly: true, signal });
  const release = deployments.flatMap((deployment) => releaseOf(deployment) ?? [])[0];
  if (release === undefined) return;
  throw new CommandError(
    `${describeRelease(release)} runs managers on this hub already: change them with \`helm upgrade\`, or remove the release first (\`helm uninstall ${release.name} -n ${release.namespace}\`)`,
  );
}

/** Throws {@link CommandError} on timeout, with the cause of the delay. */
export async function untilManagersReady(
  hub: Client,
  options: Pick<InstallOptions, "namespace" | "timeout" | "logLevel">,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const { namespace, timeout } = options;
  using progress = new Progress(terminal);
  progress.show("waiting for the managers to be ready");
  const logger = commandLogger(options.logLevel, terminal);
  const common = { client: hub, timeoutMs: timeout, signal, logger };
  const ready = await follow({ ...common, type: DEPLOYMENTS, namespace, name: MANAGER_DEPLOYMENT }, isRolledOut);
  if (ready) return;
  const pods = await listAll({ client: hub, type: PODS, namespace, labelSelector: MANAGER_SELECTOR }, { signal });
  const deployment = await hub.get(DEPLOYMENTS, namespace, MANAGER_DEPLOYMENT, { signal });
  const why = pods.flatMap((pod) => podTrouble(pod) ?? [])[0] ?? deploymentTrouble(deployment);
  throw new CommandError(
    `everything is installed, and the managers are not ready in time${why === undefined ? "" : `: ${why}`}; see \`kubectl -n ${namespace} describe pods -l ${MANAGER_SELECTOR}\` and mend that, or run install again with another --image`,
    { exitCode: EXIT.timeout },
  );
}

/** As `kubectl rollout status` does. */
export function isRolledOut(deployment: KubeObject | undefined): boolean {
  const { metadata, spec, status } = (deployment ?? {}) as {
    metadata?: { generation?: number };
    spec?: { replicas?: number };
    status?: { observedGeneration?: number; replicas?: number; updatedReplicas?: number; availableReplicas?: number };
  };
  const wanted = spec?.replicas ?? 1;
  return (
    status !== undefined &&
    (status.observedGeneration ?? 0) >= (metadata?.generation ?? 0) &&
    (status.updatedReplicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted
  );
}

interface PodStatus {
  conditions?: Condition[];
  containerStatuses?: {
    state?: { waiting?: { reason?: string; message?: string } };
    lastState?: { terminated?: { reason?: string; exitCode?: number } };
  }[];
}

/** In the kubelet's or the scheduler's words; undefined for a pod that is well. */
export function podTrouble({ metadata, status }: KubeObject): string | undefined {
  const { conditions = [], containerStatuses = [] } = (status ?? {}) as PodStatus;
  const [container] = containerStatuses;
  const waiting = container?.state?.waiting;
  if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating") {
    const ended = container?.lastState?.terminated?.exitCode;
    const exit = ended === undefined ? "" : ` (it ended with exit code ${ended})`;
    return onOneLine(`pod ${metadata.name}: ${waiting.reason}${exit} ${waiting.message ?? ""}`);
  }
  const unscheduled = conditions.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  return unscheduled === undefined
    ? undefined
    : onOneLine(`pod ${metadata.name}: ${unscheduled.reason ?? "not scheduled"} ${unscheduled.message ?? ""}`);
}

/** Admission or a quota may refuse the pods. */
function deploymentTrouble({ status }: KubeObject): string | undefined {
  const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] };
  const failure = conditions.find(({ type, status: is }) => type === "ReplicaFailure" && is === "True");
  return failure === undefined ? undefined : onOneLine(`${failure.reason ?? ""} ${failure.message ?? ""}`);
}
