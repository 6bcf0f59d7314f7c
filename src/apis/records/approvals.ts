import { z } from "zod";
import { jsonIn } from "./annotationJson.ts";
import { type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../metadata/index.ts";

/**
 * Approvals of the stages of one run of one revision. Stored as JSON in the annotation
 * {@link ROLLOUT_APPROVALS_ANNOTATION} of the object, or of its binding if the binding holds the status.
 */
export const rolloutApprovals = z.strictObject({
  revision: z.int().min(0),
  /** `startedAt` of the run. The same revision may be rolled out again later, and then needs a new approval. */
  run: z.string().min(1).max(64),
  /** By stage: user name of the approver, as the API server knows it. */
  approvals: z.record(z.string().min(1).max(63), z.string().min(1).max(1024)),
});

export type RolloutApprovals = z.infer<typeof rolloutApprovals>;

/** Undefined where the annotation is missing or unreadable. */
export function rolloutApprovalsIn(annotation: string | undefined): RolloutApprovals | undefined {
  const parsed = rolloutApprovals.safeParse(jsonIn(annotation));
  return parsed.success ? parsed.data : undefined;
}

/** Reason to refuse an annotation with approvals. */
export type ApprovalProblem = { kind: "Unreadable" } | { kind: "Forged"; stage: string; by: string };

/**
 * Problems of the approvals that `object` has and `before` has not. An approval names its approver, so nobody may write
 * one in another person's name. An approval counts for its revision, run and stage: the same name for another run is a
 * new approval. An annotation that is unchanged or removed has no problem.
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
 * Time since which the API server lets nobody approve in another person's name, in epoch milliseconds. `Never`: the API
 * server does not check this now. `Unread`: not known yet.
 */
export type ApproversProven = number | "Never" | "Unread";
