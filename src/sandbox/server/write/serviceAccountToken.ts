import { defined } from "../../../apis/index.ts";
import { trackWrite } from "../../fields/index.ts";
import { definitions } from "../../kinds/index.ts";
import { failure, invalid, notFound } from "../../statusError.ts";
import type { FieldError, KubeObject, Resource } from "../../types.ts";
import { type Api, storedObject, subjectOf, type Target } from "../api.ts";
import { timestamp } from "../../timestamp.ts";
import { type Body, ofKindNamed, readBody } from "./input.ts";
import { ISSUER } from "../request/index.ts";

const API_VERSION = "authentication.k8s.io/v1";
const DEFAULT_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;

const TOKEN_REQUEST: Resource = {
  group: "authentication.k8s.io",
  plural: "tokenrequests",
  singular: "tokenrequest",
  kind: "TokenRequest",
  listKind: "TokenRequestList",
  shortNames: [],
  categories: [],
  namespaced: true,
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { $ref: "#/definitions/io.k8s.api.authentication.v1.TokenRequest" },
      columns: [],
      hasStatus: false,
      selectableFields: [],
    },
  ],
  definitions,
};

interface TokenRequestSpec {
  audiences?: string[];
  expirationSeconds?: number;
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
}

/** Issues a ServiceAccount token, for a create of `serviceaccounts/NAME/token`. Throws a StatusError. */
export function createToken(api: Api, target: Target, body: Body): KubeObject {
  const { name = "", namespace = "", context } = target;
  const value = readBody(body, { apiVersion: API_VERSION, kind: "TokenRequest" }, context);
  const submitted = ofKindNamed(api.catalog, value, API_VERSION, "TokenRequest");
  const spec = (submitted["spec"] ?? {}) as TokenRequestSpec;
  const account = storedObject(api, target, name);
  if (account === undefined) throw notFound(subjectOf(target, name));
  const seconds = spec.expirationSeconds ?? DEFAULT_SECONDS;
  const errors = errorsOf(seconds);
  if (errors.length > 0) {
    throw invalid({ group: "authentication.k8s.io", kind: "TokenRequest", name: "" }, errors);
  }
  const audiences = spec.audiences === undefined || spec.audiences.length === 0 ? [ISSUER] : spec.audiences;
  const bound =
    spec.boundObjectRef === undefined || spec.boundObjectRef === null
      ? undefined
      : boundObject(api, target, spec.boundObjectRef);
  const now = api.clock.now();
  const issuedAt = Math.floor(now / 1000);
  const token = api.tokens.issue({
    namespace,
    name,
    uid: account.metadata.uid ?? "",
    audiences,
    issuedAt,
    expiresAt: issuedAt + seconds,
    id: api.newUid(),
    ...defined({ bound }),
  });
  const request = trackWrite({
    operation: "Update",
    live: undefined,
    submitted: { ...submitted, spec: { ...spec, expirationSeconds: seconds } },
    manager: context.fieldManager,
    apiVersion: API_VERSION,
    subresource: "token",
    now,
    resource: TOKEN_REQUEST,
  });
  return {
    ...request,
    metadata: {
      ...request.metadata,
      name,
      namespace,
      ...defined({ uid: account.metadata.uid }),
      creationTimestamp: timestamp(now),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp((issuedAt + seconds) * 1000) },
  };
}

function errorsOf(seconds: number): FieldError[] {
  const wrong = (why: string): FieldError[] => [
    { reason: "FieldValueInvalid", field: "spec.expirationSeconds", message: `Invalid value: ${seconds}: ${why}` },
  ];
  if (seconds < LEAST_SECONDS) return wrong("may not specify a duration less than 10 minutes");
  if (seconds > MOST_SECONDS) return wrong("may not specify a duration larger than 2^32 seconds");
  return [];
}

/** The object whose deletion invalidates the token. */
function boundObject(
  api: Api,
  target: Target,
  { kind = "", name = "", uid }: NonNullable<TokenRequestSpec["boundObjectRef"]>,
): { kind: string; name: string; uid: string } {
  const plural = { Pod: "pods", Secret: "secrets" }[kind];
  if (plural === undefined)
    throw failure(400, "BadRequest", `cannot bind token for serviceaccount to object of type ${kind}`);
  const found = api.store.collection({ group: "", plural }).get(target.namespace, name);
  if (found === undefined) throw notFound({ group: "", kind: plural, name });
  if (uid !== undefined && uid !== found.metadata.uid) {
    throw failure(409, "Conflict", `the UID in the bound object reference (${uid}) does not match the UID in record`);
  }
  return { kind, name, uid: found.metadata.uid ?? "" };
}
