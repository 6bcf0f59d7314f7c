import { type KubeObject } from "../../apis/index.ts";
import { isRolledOut, podTrouble } from "../install/index.ts";
import { namesText } from "../shared/index.ts";
import { type ClockReading, MOST_CLOCK_SKEW_MS, skewText } from "./clock.ts";
import { type CheckResult, Checking, HUB, notChecked } from "./result.ts";

/** The managers on the hub, and the Lease by which one of them leads. Pure. */

export interface ManagerFacts {
  namespace: string;
  leaseName: string;
  deployments: readonly KubeObject[];
  /** Undefined: the rights do not show them. */
  pods: readonly KubeObject[] | undefined;
  /** Undefined: there is none. */
  lease: KubeObject | "NotShown" | undefined;
  /** Epoch milliseconds by the hub's clock. */
  hubTime: number;
}

export function checkDeployments({ namespace, deployments, pods, lease, hubTime }: ManagerFacts): CheckResult {
  const checking = new Checking("Manager", HUB);
  if (deployments.length === 0) {
    const held = lease === undefined || lease === "NotShown" ? undefined : readLease(lease);
    if (held !== undefined && held.holder !== "" && hubTime <= held.until)
      return checking.result(`no Deployment in ${namespace}; ${held.holder} runs elsewhere and leads`);
    // A manager outside of the hub shows by the Lease alone.
    if (lease === "NotShown")
      return notChecked("Manager", HUB, `a Deployment in ${namespace}, nor who holds the Lease`);
    checking.error(
      "ManagerMissing",
      `namespace ${namespace} has no Deployment of managers`,
      "install managers (the chart, or `meridian install` with --manager and --image), or give their namespace with -n",
    );
    return checking.result("no manager is installed");
  }
  for (const deployment of deployments) {
    const { name } = deployment.metadata;
    if (wantedReplicas(deployment) === 0)
      checking.error(
        "ManagerScaledDown",
        `Deployment ${name} has no replicas`,
        `give it replicas again: spec.replicas of the Deployment ${name} in ${namespace}, or replicas of the chart`,
      );
    else if (!isRolledOut(deployment)) {
      const trouble = (pods ?? []).flatMap((pod) => podTrouble(pod) ?? [])[0];
      const why = trouble === undefined ? "" : `: ${trouble}`;
      checking.error(
        "ManagerNotReady",
        `${availableText(deployment)} managers of Deployment ${name} are ready${why}`,
        `see \`kubectl -n ${namespace} describe pods\` and mend the cause`,
      );
    }
  }
  return checking.result(
    namesText(deployments.map((one) => `Deployment ${one.metadata.name} ${availableText(one)} ready`)),
  );
}

function wantedReplicas({ spec }: KubeObject): number {
  return ((spec ?? {}) as { replicas?: number }).replicas ?? 1;
}

function availableText(deployment: KubeObject): string {
  const { availableReplicas = 0 } = (deployment["status"] ?? {}) as { availableReplicas?: number };
  return `${availableReplicas}/${wantedReplicas(deployment)}`;
}

interface Held {
  holder: string;
  renewedAt: number;
  /** From then on another manager may take it. */
  until: number;
}

const DEFAULT_LEASE_SECONDS = 15;

/** Undefined if nobody has ever held it. */
function readLease(lease: KubeObject): Held | undefined {
  const {
    holderIdentity: holder = "",
    renewTime,
    leaseDurationSeconds = DEFAULT_LEASE_SECONDS,
  } = (lease["spec"] ?? {}) as { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
  const renewedAt = Date.parse(renewTime ?? "");
  if (Number.isNaN(renewedAt)) return undefined;
  // The hub's clock is known to the second.
  return { holder, renewedAt, until: renewedAt + leaseDurationSeconds * 1_000 + 1_000 };
}

/** Compares the last renewal with the hub's clock, so that the clock of this machine does not count. */
export function checkLease({ namespace, leaseName, lease, hubTime }: ManagerFacts): CheckResult {
  const checking = new Checking("Lease", HUB);
  const name = `${namespace}/${leaseName}`;
  const held = lease === undefined || lease === "NotShown" ? undefined : readLease(lease);
  if (held === undefined) {
    checking.warning(
      "LeaseMissing",
      `no manager has held the Lease ${name}`,
      "start a manager, or give the Lease of the managers with --lease-name; a manager without leader election has none",
    );
    return checking.result("no manager leads");
  }
  const renewed = new Date(held.renewedAt).toISOString().replace(/\.\d+/, "");
  if (held.holder === "") {
    checking.error(
      "LeaseReleased",
      `the last manager gave up the Lease ${name} at ${renewed}`,
      `see why no manager runs: \`kubectl -n ${namespace} get pods\``,
    );
    return checking.result("no manager leads");
  }
  if (hubTime > held.until)
    checking.error(
      "LeaseStale",
      `${held.holder} has not renewed the Lease ${name} since ${renewed}`,
      `see why no manager runs: \`kubectl -n ${namespace} get pods\``,
    );
  else if (held.renewedAt - hubTime > MOST_CLOCK_SKEW_MS)
    checking.warning(
      "ClockSkew",
      `the clock of ${held.holder} is ${skewText(held.renewedAt - hubTime)} the hub's clock`,
      "synchronise the clocks of both (NTP): leases, tokens and certificates depend on them",
    );
  return checking.result(`held by ${held.holder}, renewed ${renewed}`);
}

/** `hub`: the clock of the hub, compared with the clock of this machine. */
export function hubTimeOf(now: number, hub: ClockReading | undefined): number {
  return now + (hub?.offsetMs ?? 0);
}

/** Value of a flag of the manager's container, as `--flag=value`; undefined if it has none. */
export function flagOf(deployments: readonly KubeObject[], flag: string): string | undefined {
  for (const argument of deployments.flatMap(argumentsOf))
    if (argument.startsWith(`${flag}=`)) return argument.slice(flag.length + 1);
  return undefined;
}

export function servesWebhooks(deployments: readonly KubeObject[]): boolean {
  return deployments.flatMap(argumentsOf).includes("--webhooks");
}

function argumentsOf({ spec }: KubeObject): readonly string[] {
  const { template } = (spec ?? {}) as { template?: { spec?: { containers?: { args?: readonly string[] }[] } } };
  return (template?.spec?.containers ?? []).flatMap(({ args = [] }) => args);
}
