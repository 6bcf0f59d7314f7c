import { joinCommand } from "../../apis/index.ts";
import type { Answer } from "../../scheduler/types.ts";

/** The change that would turn the refusal into a yes: the answer's own remedy, or a remedy by its reason. */
export function remedyFor(answer: Answer, cluster: string, policy: string): string {
  if (answer.remedy !== undefined) return answer.remedy;
  switch (answer.reason) {
    case "TaintNotTolerated":
      return `add a toleration to ${policy}, or take the taint off ${cluster} (${answer.message})`;
    case "NotInAffinity":
      return `let an affinity group of ${policy} take ${cluster} (${answer.message})`;
    case "LabelKeyMissing":
      return `label the object: ${answer.message}`;
    case "Excluded":
      return `take ${cluster} off \`exclude\` in ${policy} (${answer.message})`;
    case "UnknownCluster":
      return `join ${cluster} with \`${joinCommand(cluster)}\`, or correct the name in ${policy}`;
    case "ClusterDeleting":
      return `join ${cluster} again once it is gone: its MemberCluster is being deleted`;
    case "OnHubAlready":
      return `nothing: the object itself stands on the hub already`;
    case "NamespaceNotGranted":
      return `join ${cluster} for the object's namespace too: ${answer.message}`;
    case "NoReplicas":
      return `ask for more replicas, or give ${cluster} a weight in ${policy} (${answer.message})`;
    case "NoPlacement":
      return "create a Placement that selects the object";
    default:
      return answer.message;
  }
}
