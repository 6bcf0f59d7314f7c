import { z } from "zod";
import { jsonIn } from "./annotationJson.ts";
import { type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../metadata/index.ts";

/**
 * Who approved which stages of one run of one revision. Stands as JSON in the annotation {@link ROLLOUT_APPROVALS_ANNOTATION} of the object, or of its
 * binding where its status stands there.
 */
export const rolloutApprovals = z.strictObject({
  revision: z.int().min(0),
  /** `startedAt` of the run: the same revision may be rolled out again later, and needs an approval again then. */
  run: z.string().min(1).max(64),
  /** By stage: the user name under which the API server knows who approved. */
  approvals: z.record(z.string().min(1).max(63), z.string().min(1).max(1024)),
});

export type RolloutApprovals = z.infer<typeof rolloutApprovals>;

/** Undefined where the annotation is missing or says nothing that can be understood. */
export function rolloutApprovalsIn(annotation: string | undefined): RolloutApprovals | undefined {
  const parsed = rolloutApprovals.safeParse(jsonIn(annotation));
  return parsed.success ? parsed.data : undefined;
}

/** Why an annotation with approvals may not be written like that. */
export type ApprovalProblem = { kind: "Unreadable" } | { kind: "Forged"; stage: string; by: string };

/**
 * What is wrong with the approvals that `object` has and `before` had not: an approval says who gave it, so nobody may write one for somebody else.
 * An approval counts for its revision, run and stage: the same name beside another one is a new approval. An annotation that is as before, or gone,
 * has no problem.
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
 * From which time on the API server has let nobody approve in another's name, epoch milliseconds. `Never`: it does not see to that now. `Unread`: what
 * it does is not known yet.
 */
export type ApproversProven = number | "Never" | "Unread";
