import { defined } from "../../apis/index.ts";
import { failure, StatusError } from "../statusError.ts";
import type { FailureStatus } from "../types.ts";

/** A webhook could not be called, or its answer is invalid. The failure policy decides the consequence. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
}

/** The API server's 500, whose cause repeats the message. */
export function internalError(message: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** A failure without a reason, as after a webhook's refusal. */
export function bareFailure(code: number, message: string, more: Partial<FailureStatus> = {}): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...more,
    code,
  } as FailureStatus);
}

/** The status in a webhook's refusal. */
export interface Refusal {
  code?: number;
  message?: string;
  reason?: string;
  details?: FailureStatus["details"];
}

/** The answer to the client when a webhook refuses. */
export function refused(webhook: string, { code = 0, message = "", reason = "", details }: Refusal): StatusError {
  const why = message === "" ? reason : message;
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  return bareFailure(code < 400 ? 400 : code, why === "" ? `${denied} without explanation` : `${denied}: ${why}`, {
    ...(reason === "" ? {} : { reason }),
    ...defined({ details }),
  });
}
