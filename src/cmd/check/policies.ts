import type { KubeObject, PolicyStatus } from "../../apis/index.ts";
import { namesText, refText } from "../shared/index.ts";
import { type CheckResult, Checking, HUB } from "./result.ts";

/** Policies that a manager reports as not in force. Pure. */

/** A policy of such a reason is right, and another policy or another fleet decides that it has no effect now. */
const IDLE: Readonly<Record<string, string>> = {
  NoClusterMatches: "no rule takes a cluster on which their objects run",
  LostToOther: "other policies place all their objects",
  Superseded: "later policies set anew all that they set",
};

type Policy = KubeObject & { status?: PolicyStatus };

export function checkPolicies(policies: readonly KubeObject[]): CheckResult {
  const checking = new Checking("Policies", HUB);
  const idle = new Map<string, string[]>();
  const unseen: string[] = [];
  const present = (policies as readonly Policy[]).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (const policy of present) {
    const { kind, metadata, status = {} } = policy;
    const { namespace, name } = metadata;
    const said = refText({ kind, ...metadata });
    const ready = status.conditions?.find(({ type }) => type === "Ready");
    if (ready === undefined || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) unseen.push(said);
    else if (ready.status === "True") continue;
    else if (IDLE[ready.reason] !== undefined) idle.set(ready.reason, [...(idle.get(ready.reason) ?? []), said]);
    else {
      const named = `${kind.toLowerCase()}/${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
      const why = status.lastError ?? (ready.message === "" ? ready.reason : ready.message);
      const remedy = `change the policy: \`meridian explain ${named}\` has the whole answer`;
      checking.error(ready.reason, `${said}: ${why}`, remedy);
    }
  }
  if (unseen.length > 0)
    checking.warning(
      "PolicyNotObserved",
      `no manager has evaluated the present state of ${namesText(unseen)} yet`,
      "wait a moment; else see whether a manager leads (the line Lease)",
    );
  let without = 0;
  for (const [reason, names] of idle) {
    without += names.length;
    checking.add("Info", {
      code: reason,
      what: `without effect now, because ${IDLE[reason]}: ${namesText(names)}`,
      remedy: "nothing to mend if that is meant; `meridian explain KIND/NAME` has the words of each policy",
    });
  }
  const many = present.length === 1 ? "1 policy" : `${present.length} policies`;
  return checking.result(
    present.length === 0 ? "there are none" : `${many}${without === 0 ? "" : `, ${without} idle`}`,
  );
}
