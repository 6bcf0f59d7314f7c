import { z } from "zod";
import { jsonIn } from "./annotationJson.ts";
import { type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../metadata/index.ts";

/** Content of {@link ROLLOUT_APPROVALS_ANNOTATION}, on the object or on the binding that holds its status. */
export const rolloutApprovals = z.strictObject({
  revision: z.int().min(0),
  /** `startedAt`: the same revision, rolled out again later, needs a new approval. */
  run: z.string().min(1).max(64),
  /** The approver by stage, as the API server knows the user. */
  approvals: z.record(z.string().min(1).max(63), z.string().min(1).max(1024)),
});

export type RolloutApprovals = z.infer<typeof rolloutApprovals>;

export function rolloutApprovalsIn(annotation: string | undefined): RolloutApprovals | undefined {
  const parsed = rolloutApprovals.safeParse(jsonIn(annotation));
  return parsed.success ? parsed.data : undefined;
}

export type ApprovalProblem = { kind: "Unreadable" } | { kind: "Forged"; stage: string; by: string };

/**
 * Problems of approvals that `object` has and `before` has not. Nobody may approve in another person's name, and the
 * same name for another run is a new approval.
 */
export function approvalProblems(
  object: Pick<KubeObject, "metadata">,
  before: Pick<KubeObject, "metadata"> | null | undefined,
  username: string,
): ApprovalProblem[] {
  const [text, earlierText] = [object, before].map((one) => one?.metadata.annotations?.[ROLLOUT_APPROVALS_ANNOTATION]);
  if (text === undefined || text === earlierText) return [];
  const said = rolloutApprovalsIn(text);
  if (said === undefined) return [{ kind: "Unreadable" }];
  const earlier = rolloutApprovalsIn(earlierText);
  const isOfSameRun = earlier?.revision === said.revision && earlier.run === said.run;
  const known = new Map(isOfSameRun ? Object.entries(earlier.approvals) : []);
  return Object.entries(said.approvals).flatMap(([stage, by]) =>
    by === username || known.get(stage) === by ? [] : [{ kind: "Forged" as const, stage, by }],
  );
}

/**
 * Since when the API server lets nobody approve in another person's name, epoch milliseconds. `Never`: not checked now.
 */
export type ApproversProven = number | "Never" | "Unread";
