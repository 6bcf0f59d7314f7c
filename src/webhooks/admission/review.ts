import type { FieldProblem } from "../../apis/index.ts";
import type { JsonPatchOperation } from "./defaults.ts";
import type { AdmissionRequest, Judgement } from "./types.ts";

export const ADMISSION_API_VERSION = "admission.k8s.io/v1";

export interface AdmissionResponse {
  uid: string;
  allowed: boolean;
  status?: {
    code: number;
    reason: string;
    message: string;
    details?: { causes: { reason: string; field: string; message: string }[] };
  };
  patchType?: "JSONPatch";
  patch?: string;
  warnings?: string[];
}

export interface AdmissionReview {
  apiVersion: string;
  kind: "AdmissionReview";
  response: AdmissionResponse;
}

/** The body is no review that can be answered. The server takes the error as a failure of the webhook. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
}

/** Kubernetes cuts longer warnings. */
const LONGEST_WARNING = 256;

/** Reads the body of a call. Throws {@link ReviewError}. */
export function readAdmissionReview(body: unknown): AdmissionRequest {
  const { apiVersion, kind, request } = (body ?? {}) as Record<string, unknown>;
  if (apiVersion !== ADMISSION_API_VERSION || kind !== "AdmissionReview") {
    throw new ReviewError(`expected an AdmissionReview of ${ADMISSION_API_VERSION}`);
  }
  const { uid, kind: type, operation, resource } = (request ?? {}) as Partial<AdmissionRequest>;
  if (typeof uid !== "string" || typeof type !== "object" || typeof resource !== "object" || operation === undefined) {
    throw new ReviewError("the AdmissionReview holds no request");
  }
  return request as AdmissionRequest;
}

/** The answer to a review. A refusal never has a patch. */
export function answerReview(
  request: Pick<AdmissionRequest, "uid" | "operation">,
  { problems, warnings }: Judgement,
  patch: readonly JsonPatchOperation[] = [],
): AdmissionReview {
  const response: AdmissionResponse = {
    uid: request.uid,
    allowed: problems.length === 0,
    ...(problems.length === 0 ? {} : { status: refusal(request, problems) }),
    ...(problems.length > 0 || patch.length === 0
      ? {}
      : { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((text) => text.slice(0, LONGEST_WARNING)) }),
  };
  return { apiVersion: ADMISSION_API_VERSION, kind: "AdmissionReview", response };
}

/** Refusal in the form that the server uses for schemas: 422 with a cause for each field. A refused deletion is 403. */
function refusal(
  { operation }: Pick<AdmissionRequest, "operation">,
  problems: readonly FieldProblem[],
): NonNullable<AdmissionResponse["status"]> {
  const deletion = operation === "DELETE";
  const told = problems.map(({ field, message }) => ({ field, message: withoutField(message, field) }));
  return {
    code: deletion ? 403 : 422,
    reason: deletion ? "Forbidden" : "Invalid",
    message: told.map(({ field, message }) => `${field}: ${message}`).join("; "),
    details: { causes: told.map((problem) => ({ reason: "FieldValueInvalid", ...problem })) },
  };
}

/** Removes the field from the beginning of a message of a rule: here the field stands before each message. */
function withoutField(message: string, field: string): string {
  const own = field.slice(field.lastIndexOf(".") + 1);
  const prefix = [`${field}: `, `${own}: `].find((candidate) => message.startsWith(candidate)) ?? "";
  return message.slice(prefix.length);
}
