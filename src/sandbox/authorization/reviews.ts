import { defined } from "../../apis/index.ts";
import { badRequest, failure, invalid } from "../statusError.ts";
import type { FieldError, KubeObject, UserInfo } from "../types.ts";
import { aggregate, authorize, grantsTo } from "./authorize.ts";
import type { Attributes, PolicyRule, RoleSource } from "./types.ts";

interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
}

interface ReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
  namespace?: string;
}

/**
 * Answers a create of `selfsubjectaccessreviews`, `subjectaccessreviews`, `localsubjectaccessreviews`,
 * `selfsubjectrulesreviews` (authorization.k8s.io/v1) or `selfsubjectreviews` (authentication.k8s.io/v1). `namespace`
 * is the request's, `now` is in milliseconds. Throws a StatusError for an invalid review.
 */
export function answerReview(
  plural: string,
  review: KubeObject,
  namespace: string | undefined,
  user: UserInfo,
  roles: RoleSource,
  now: number,
): KubeObject {
  const spec = (review["spec"] ?? {}) as ReviewSpec;
  switch (plural) {
    case "selfsubjectaccessreviews":
      refuseInvalid(attributeErrors(spec));
      return decided(review, spec, user, roles);
    case "subjectaccessreviews":
      refuseInvalid([...attributeErrors(spec), ...subjectErrors(spec)]);
      return decided(review, spec, subjectOf(spec), roles);
    case "localsubjectaccessreviews":
      refuseInvalid([...attributeErrors(spec), ...subjectErrors(spec), ...localErrors(spec, namespace ?? "")]);
      return decided(review, spec, subjectOf(spec), roles);
    case "selfsubjectrulesreviews":
      return withRules(review, spec.namespace ?? "", user, roles);
    case "selfsubjectreviews":
      return aboutOneself(review, user, now);
    default:
      throw failure(404, "NotFound", "the server could not find the requested resource", {});
  }
}

function decided(review: KubeObject, spec: ReviewSpec, user: UserInfo, roles: RoleSource): KubeObject {
  const { allowed, reason } = authorize(user, attributesOf(spec), roles);
  return { ...review, status: { allowed, ...(reason === "" ? {} : { reason }) } };
}

function attributesOf({ resourceAttributes: asked, nonResourceAttributes: path }: ReviewSpec): Attributes {
  if (asked === undefined) return { kind: "NonResource", verb: path?.verb ?? "", path: path?.path ?? "" };
  const { verb = "", group = "", version = "", resource = "", subresource = "", namespace = "", name = "" } = asked;
  return {
    kind: "Resource",
    verb,
    group,
    version,
    resource,
    ...(subresource === "" ? {} : { subresource }),
    ...(namespace === "" ? {} : { namespace }),
    ...(name === "" ? {} : { name }),
  };
}

function subjectOf({ user = "", groups = [], uid, extra }: ReviewSpec): UserInfo {
  return { name: user, groups, ...defined({ uid, extra }) };
}

const wrong = (field: string, value: unknown, why: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

function attributeErrors({ resourceAttributes, nonResourceAttributes }: ReviewSpec): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = "cannot be specified in combination with resourceAttributes";
    return [wrong("spec.nonResourceAttributes", nonResourceAttributes, why)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [wrong("spec.resourceAttributes", null, why)];
}

function subjectErrors({ user = "", groups = [] }: ReviewSpec): FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  return [wrong("spec.user", user, "at least one of user or group must be specified")];
}

function localErrors({ resourceAttributes, nonResourceAttributes }: ReviewSpec, namespace: string): FieldError[] {
  if (nonResourceAttributes !== undefined) {
    return [wrong("spec.nonResourceAttributes", nonResourceAttributes, "disallowed on this kind of request")];
  }
  const named = resourceAttributes?.namespace ?? "";
  if (resourceAttributes === undefined || named === namespace) return [];
  return [wrong("spec.resourceAttributes.namespace", named, "must match metadata.namespace")];
}

/** The server's message names no kind for reviews: `.authorization.k8s.io "" is invalid`. */
function refuseInvalid(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const { message, details } = invalid({ group: "authorization.k8s.io", kind: "", name: "" }, errors).status;
  throw failure(422, "Invalid", message, { group: "authorization.k8s.io", causes: details?.causes ?? [] });
}

function withRules(review: KubeObject, namespace: string, user: UserInfo, roles: RoleSource): KubeObject {
  if (namespace === "") throw badRequest("no namespace on request");
  const problems = new Set<string>();
  const rules = [...grantsTo(user, namespace, roles, problems)].flatMap((grant) => grant.rules);
  return {
    ...review,
    spec: {},
    status: {
      resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs = [], nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
      incomplete: problems.size > 0,
      ...(problems.size === 0 ? {} : { evaluationError: aggregate([...problems]) }),
    },
  };
}

function resourceRule({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }: PolicyRule) {
  return { verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) };
}

function aboutOneself(review: KubeObject, { name, uid, groups, extra }: UserInfo, now: number): KubeObject {
  return {
    ...review,
    metadata: { ...review.metadata, creationTimestamp: `${new Date(now).toISOString().slice(0, 19)}Z` },
    status: {
      userInfo: {
        username: name,
        ...defined({ uid }),
        groups,
        ...defined({ extra }),
      },
    },
  };
}
