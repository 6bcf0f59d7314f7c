import { approvalProblems, type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../../apis/index.ts";
import type { AdmissionRequest, Judgement } from "./types.ts";

/**
 * Nobody may approve in another person's name, not even on an object that is being deleted: its binding still counts.
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
