import { isCount, type KubeObject, MOST_COUNTED, parseApiVersion, valueAt } from "../../apis/index.ts";
import { memberKindOf } from "../../interpreter/index.ts";
import { type applyRules, blamedPatch, effectOf, type MatchedRule } from "../../override/index.ts";

/** The patch that gives a workload an invalid number of replicas, which members would reject or misread. */
export function wrongReplicas(
  before: readonly KubeObject[],
  rules: readonly MatchedRule[],
  after: readonly KubeObject[],
): ReturnType<typeof applyRules>["problem"] {
  for (const [index, object] of after.entries()) {
    const was = before[index];
    if (object === was) continue;
    const path = memberKindOf(parseApiVersion(object.apiVersion).group, object.kind).replicaPath;
    if (path === undefined) continue;
    const replicas = valueAt(object, path);
    // The server sets its default if the field is missing.
    if (replicas === undefined || replicas === null || isCount(replicas)) continue;
    if (replicas === valueAt(was, path)) continue;
    const field = `.${path.join(".")}`;
    const patch = blamedPatch(effectOf(rules), object.kind, [field]);
    if (patch === undefined) continue;
    const { policy, rule } = patch;
    const range = `must be a whole number, 0 to ${MOST_COUNTED}`;
    const place = `patch ${patch.patch} on ${object.kind}: `;
    return {
      policy,
      rule,
      reason: "InvalidPatch",
      message: `${place}${field}: ${range}`,
      place,
    };
  }
  return undefined;
}
