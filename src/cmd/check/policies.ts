import type { KubeObject, PolicyStatus } from "../../apis/index.ts";
import { refText } from "../shared/index.ts";
import { type CheckResult, Checking, HUB } from "./result.ts";

/** Policies that a manager reports as not in force. Pure. */

export function checkPolicies(policies: readonly KubeObject[]): CheckResult {
  const checking = new Checking("Policies", HUB);
  let inForce = 0;
  for (const policy of policies) {
    const { kind, metadata, status = {} } = policy as KubeObject & { status?: PolicyStatus };
    if (metadata.deletionTimestamp !== undefined) continue;
    const name = refText({ kind, ...metadata });
    const ready = status.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status === "True" && (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)) {
      inForce += 1;
      continue;
    }
    if (ready === undefined || ready.status === "True") {
      checking.warning(
        "PolicyNotObserved",
        `no manager has evaluated the present ${name} yet`,
        "wait a moment; else see whether a manager leads (the line Lease)",
      );
      continue;
    }
    const named = `${kind.toLowerCase()}/${metadata.name}${metadata.namespace === undefined ? "" : ` -n ${metadata.namespace}`}`;
    checking.error(
      ready.reason,
      `${name}: ${status.lastError ?? (ready.message === "" ? ready.reason : ready.message)}`,
      `change the policy: \`meridian explain ${named}\` has the whole answer`,
    );
  }
  return checking.result(
    policies.length === 0 ? "there are none" : `${inForce} of ${policies.length} policies are in force`,
  );
}
