import { type MemberCluster, namesText, nextStep, renewCommand } from "../../apis/index.ts";
import { type ClusterReport } from "../view/index.ts";
import { type ClockReading, clockSkew, skewText } from "./clock.ts";
import { type CheckResult, Checking, onCluster } from "./result.ts";
import { isOlder, minorsApart, MOST_SKEW, OLDEST_MEMBER } from "./versions.ts";

/** Each member: contact, credentials, version, clock, rights. Pure. */

export type Probe =
  | { kind: "NotAsked" }
  | { kind: "Unreached"; why: string; isOther: boolean }
  | {
      kind: "Reached";
      version: string | undefined;
      clock: ClockReading | undefined;
      /** `create, patch deployments.apps`; undefined: not known. */
      missingRights: readonly string[] | undefined;
    };

export interface MemberFacts {
  member: MemberCluster;
  /** The same cluster as `meridian status` shows it. */
  report: ClusterReport;
  probe: Probe;
  hub: { version: string; clock: ClockReading | undefined };
  /** Epoch milliseconds by the hub's clock. */
  now: number;
}

export function checkMember(facts: MemberFacts): CheckResult {
  const { member, report, probe, hub } = facts;
  const { name } = member.metadata;
  const checking = new Checking("Member", onCluster(name));
  checkContact(facts, checking);
  const end = checkCredentials(facts, checking);
  const version = (probe.kind === "Reached" ? probe.version : undefined) ?? report.version;
  checkVersion(name, version, hub.version, checking);
  checkProbe(facts, checking);
  const seen = [
    report.ready === "True" ? "Ready" : "not Ready",
    ...(version === "" ? [] : [`Kubernetes ${version}`]),
    ...(end === undefined ? [] : [`credentials until ${end}`]),
    ...(report.outOfService === "" ? [] : [report.outOfService.toLowerCase()]),
    ...(probe.kind === "Reached" ? ["reached from here"] : []),
  ];
  return checking.result(seen.join(", "));
}

function checkContact({ member, report }: MemberFacts, checking: Checking): void {
  const { name: cluster, generation = 0 } = member.metadata;
  const { ready, deleting, deletedAt, message, troubles, removal } = report;
  if (deleting)
    checking.add("Info", {
      code: "Leaving",
      what: `it leaves the federation since ${deletedAt}${removal === undefined ? "" : `: ${message}`}`,
      remedy: removal === undefined ? "wait" : nextStep(removal, { cluster }),
    });
  if (ready === "Unknown")
    checking.error("NotReported", "no manager has reported on it yet", nextStep("NotReported", { cluster }));
  for (const { reason, message: text, since } of troubles) {
    const isLost = ready !== "True" && troubles[0]?.reason === reason && reason !== "Connecting";
    checking.add(isLost ? "Error" : "Warning", {
      code: reason,
      what: `${text === "" ? reason : text} (since ${since})`,
      remedy: nextStep(reason, { cluster }),
    });
  }
  const observed = member.status?.observedGeneration;
  if (ready !== "Unknown" && observed !== undefined && observed < generation)
    checking.warning(
      "NotObserved",
      "the manager has not seen the last change of the MemberCluster yet",
      "wait a moment; else see whether a manager leads (the line Lease)",
    );
}

const RENEWAL_LATE_MS = 3_600_000;
const ENDS_SOON_MS = 7 * 24 * 3_600_000;

/** Returns the end of the credentials, if it is known. */
function checkCredentials({ member, now }: MemberFacts, checking: Checking): string | undefined {
  const { name } = member.metadata;
  const { expiresAt, renewAt } = member.status?.credentials ?? {};
  const remedy = `run \`${renewCommand(name)}\``;
  const [end, renewal] = [Date.parse(expiresAt ?? ""), Date.parse(renewAt ?? "")];
  if (end <= now) checking.error("CredentialsExpired", `its credentials ended ${expiresAt}`, remedy);
  else if (renewal + RENEWAL_LATE_MS < now)
    checking.warning(
      "CredentialsNotRenewed",
      `its credentials end ${expiresAt}, and were to be renewed ${renewAt}`,
      `see the manager's log for the cause, or ${remedy}`,
    );
  else if (Number.isNaN(renewal) && end - now < ENDS_SOON_MS)
    checking.warning("CredentialsEnd", `its credentials end ${expiresAt}, and nobody renews them`, remedy);
  return expiresAt;
}

function checkVersion(name: string, version: string, hub: string, checking: Checking): void {
  if (isOlder(version, OLDEST_MEMBER))
    checking.warning(
      "VersionTooOld",
      `it runs Kubernetes ${version}, and Meridian is made for ${OLDEST_MEMBER} and newer`,
      `upgrade ${name}`,
    );
  else if (minorsApart(version, hub) > MOST_SKEW)
    checking.warning(
      "VersionSkew",
      `it runs Kubernetes ${version}, the hub ${hub}: more than ${MOST_SKEW} minor versions apart, so the older one may drop fields`,
      `upgrade ${isOlder(version, hub) ? name : "the hub"}`,
    );
}

function checkProbe({ member, report, probe, hub }: MemberFacts, checking: Checking): void {
  const { name } = member.metadata;
  if (probe.kind === "Unreached" && probe.isOther)
    checking.error("OtherCluster", probe.why, `run \`${renewCommand(name)}\` with the kubeconfig of ${name}`);
  else if (probe.kind === "Unreached" && report.ready === "True")
    checking.add("Info", {
      code: "NotReachedFromHere",
      what: `this machine does not reach it, the manager does: ${probe.why}`,
      remedy: "nothing to mend; for clock and rights of the member, run check where the member is reachable",
    });
  if (probe.kind !== "Reached") return;
  const { clock, missingRights = [] } = probe;
  const ahead = clock === undefined || hub.clock === undefined ? undefined : clockSkew(clock, hub.clock);
  if (ahead !== undefined)
    checking.warning(
      "ClockSkew",
      `its clock is ${skewText(ahead)} the hub's clock`,
      `synchronise the clocks of ${name} and the hub (NTP): tokens, certificates and times in statuses depend on them`,
    );
  if (missingRights.length > 0)
    checking.error(
      "RightsMissing",
      `Meridian's account there may not ${namesText(missingRights, 4)}`,
      `run \`${renewCommand(name)}\`: it writes the account's roles again`,
    );
}
