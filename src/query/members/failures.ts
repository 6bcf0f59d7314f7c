import { shortMessage } from "../../apis/index.ts";
import { isApiError, isForbidden } from "../../runtime/index.ts";

/**
 * - `BadRequest`: the request has to name something else; - `NotFound`: there is no such pod; - `Unreachable`: the member
 * does not answer; - `NotGranted`: the member does not let Meridian read.
 */
export type MemberFailure = "BadRequest" | "NotFound" | "Unreachable" | "NotGranted";

export class MemberReadError extends Error {
  override readonly name = "MemberReadError";
  readonly failure: MemberFailure;

  constructor(failure: MemberFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** `what`: as in `pods/log`. */
export function asReadError(error: unknown, cluster: string, what: string): MemberReadError {
  if (error instanceof MemberReadError) return error;
  if (isForbidden(error))
    return new MemberReadError(
      "NotGranted",
      `cluster ${cluster} does not let Meridian read ${what}; ${grantOf(cluster, what)}`,
      error,
    );
  if (isApiError(error) && error.status >= 400 && error.status < 500)
    return new MemberReadError("BadRequest", `cluster ${cluster} refused: ${said(error)}`, error);
  return new MemberReadError("Unreachable", `cluster ${cluster} does not answer about ${what}; ask again later`, error);
}

function grantOf(cluster: string, what: string): string {
  return what === "pods/log"
    ? `an administrator of the cluster can grant it with \`meridian join ${cluster} --member-kubeconfig FILE --renew --pod-logs\``
    : `grant its account there the right to list ${what}`;
}

function said({ message }: Error): string {
  return shortMessage(message).replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ");
}
