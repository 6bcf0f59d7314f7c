import { isRecord } from "../jsonType.ts";
import { defined, parseJson } from "../../apis/index.ts";
import type { KubeObject } from "../types.ts";
import { WebhookCallError, type Refusal } from "./errors.ts";
import { isNamespace } from "./match.ts";
import type { AdmissionRequest, GroupVersionKind } from "./types.ts";

/** A request for one webhook; its objects are in the webhook's version. */
export interface Invocation {
  request: AdmissionRequest;
  /** The version named by the webhook's rules. */
  version: string;
  object: KubeObject | undefined;
  old: KubeObject | undefined;
}

const API_VERSION = "admission.k8s.io/v1";

/** The AdmissionReview for a webhook. */
export function reviewOf({ request, version, object, old }: Invocation, uid: string) {
  return {
    kind: "AdmissionReview",
    apiVersion: API_VERSION,
    request: { uid, ...describe({ request, version, object, old }) },
  };
}

/** The request without its UID, which match conditions also see as `request`. */
export function describe({ request, version, object, old }: Invocation) {
  const { resource, subresource, name, operation, context, options } = request;
  const kind = kindOf(request, request.object ?? request.old, request.version);
  const { name: username, uid, groups, extra } = context.user;
  const of = (v: string) => ({ group: resource.group, version: v, resource: resource.plural });
  const namespace = isNamespace(request) ? name : request.namespace;
  return {
    kind: version === request.version ? kind : kindOf(request, object ?? old, version),
    resource: of(version),
    ...defined({ subResource: subresource }),
    requestKind: kind,
    requestResource: of(request.version),
    ...defined({ requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === undefined || namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      username,
      ...defined({ uid }),
      groups,
      ...defined({ extra }),
    },
    object: object ?? null,
    oldObject: old ?? null,
    dryRun: context.dryRun,
    options: options ?? null,
  };
}

function kindOf(request: AdmissionRequest, object: KubeObject | undefined, version: string): GroupVersionKind {
  if (request.objectKind !== undefined) return request.objectKind;
  if (object === undefined) return { group: request.resource.group, version, kind: request.resource.kind };
  const slash = object.apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : object.apiVersion.slice(0, slash),
    version: object.apiVersion.slice(slash + 1),
    kind: object.kind,
  };
}

/** A webhook's decision. */
export interface Verdict {
  allowed: boolean;
  status: Refusal;
  warnings: readonly string[];
  /** The operations of a JSON patch. */
  patch?: unknown;
}

/** Reads a webhook's answer. Throws a {@link WebhookCallError} unless it is an AdmissionReview for `uid`. */
export function verdictOf(answer: unknown, uid: string, mutating: boolean): Verdict {
  const review = isRecord(answer) ? answer : {};
  const said = { apiVersion: review["apiVersion"] ?? "", kind: review["kind"] ?? "" };
  if (said.apiVersion !== API_VERSION || said.kind !== "AdmissionReview") {
    throw invalid(`expected webhook response of ${API_VERSION}, Kind=AdmissionReview, got ${goKind(said)}`);
  }
  const { response } = review;
  if (!isRecord(response)) throw invalid("webhook response was absent");
  if (response["uid"] !== uid) {
    throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response["uid"] ?? "")}`);
  }
  const { patch, patchType } = response;
  const verdict: Verdict = {
    allowed: response["allowed"] === true,
    status: isRecord(response["status"]) ? (response["status"] as Refusal) : {},
    warnings: Array.isArray(response["warnings"]) ? (response["warnings"] as unknown[]).map(String) : [],
  };
  const decoded = patch === undefined || patch === null ? undefined : decode(patch);
  if (!mutating) {
    if (decoded !== undefined) throw invalid("validating webhook may not return response.patch");
    if (isSet(patchType)) throw invalid("validating webhook may not return response.patchType");
    return verdict;
  }
  if (decoded !== undefined && decoded.length > 0 && !isSet(patchType)) {
    throw invalid("webhook returned response.patch but not response.patchType");
  }
  if ((decoded === undefined || decoded.length === 0) && isSet(patchType)) {
    throw invalid("webhook returned response.patchType but not response.patch");
  }
  if (!verdict.allowed || decoded === undefined || decoded.length === 0) return verdict;
  if (patchType !== "JSONPatch")
    throw invalid(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`);
  return { ...verdict, patch: operations(decoded) };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decode(patch: unknown): Buffer {
  if (typeof patch !== "string") throw new WebhookCallError("failed to call webhook: response.patch is not text");
  if (!BASE64.test(patch)) throw new WebhookCallError("failed to call webhook: illegal base64 data in response.patch");
  return Buffer.from(patch, "base64");
}

function operations(decoded: Buffer): unknown {
  try {
    return parseJson(decoded.toString());
  } catch (error) {
    const why = (error as Error).message;
    throw new WebhookCallError(`received undecodable patch in webhook response: ${why}`, { cause: error });
  }
}

function invalid(why: string): WebhookCallError {
  return new WebhookCallError(`received invalid webhook response: ${why}`);
}

/** Prints `/, Kind=` for an empty type. */
function goKind({ apiVersion, kind }: { apiVersion: unknown; kind: unknown }): string {
  const text = String(apiVersion);
  return `${text === "" ? "/" : text}, Kind=${String(kind)}`;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
