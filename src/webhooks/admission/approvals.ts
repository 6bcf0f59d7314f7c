import { approvalProblems, type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../../apis/index.ts";
import type { AdmissionRequest, Judgement } from "./types.ts";

/**
 * An approval of a rollout names its approver, so nobody may write one in another person's name. This also holds for an
 * object that is being deleted, since a binding that is being deleted still counts for its object. The decision needs
 * only the request.
 */
export function judgeApprovals({ object, oldObject, userInfo, operation }: AdmissionRequest): Judgement {
  if (operation === "DELETE" || object === null || object === undefined) return { problems: [], warnings: [] };
  const { username = "" } = userInfo ?? {};
  const field = `metadata.annotations[${ROLLOUT_APPROVALS_ANNOTATION}]`;
  const problems = approvalProblems(object, oldObject, username).map((problem) => ({
    field,
    message:
      problem.kind === "Unreadable"
        ? `it is not understood; remove it, and approve with \`${approvalOf(object)}\``
        : `stage ${problem.stage} is approved in the name of ${problem.by}, and you are ${username}: approve it with \`${approvalOf(object)} --stage ${problem.stage}\`, or remove the annotation`,
  }));
  return { problems, warnings: [] };
}

/** Command with which a person approves in their own name. */
export function approvalOf({ kind, metadata: { name, namespace } }: KubeObject): string {
  const where = namespace === undefined ? "" : ` -n ${namespace}`;
  return `meridian rollout approve ${kind.toLowerCase()}/${name}${where}`;
}
