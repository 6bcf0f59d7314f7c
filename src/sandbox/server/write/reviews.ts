import { defined } from "../../../apis/index.ts";
import { answerReview } from "../../authorization/index.ts";
import { trackWrite } from "../../fields/index.ts";
import { badRequest } from "../../statusError.ts";
import type { KubeObject } from "../../types.ts";
import type { Api, Target } from "../api.ts";
import { inNamespace } from "./create.ts";
import { type Authentication, ISSUER } from "../request/index.ts";

const GROUPS = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

/** True for review kinds, which are answered and never stored. */
export function isReview({ endpoint: { resource } }: Target): boolean {
  return GROUPS.has(resource.group) && resource.crd === undefined;
}

/** Answers a review. Throws a StatusError for an invalid one. */
export function createReview(
  api: Api,
  target: Target,
  submission: KubeObject,
  authentication: Authentication,
): KubeObject {
  const { endpoint, context, namespace } = target;
  const { resource, apiVersion } = endpoint;
  const review = trackWrite({
    operation: "Update",
    live: undefined,
    submitted: inNamespace(target, submission),
    manager: context.fieldManager,
    apiVersion,
    now: api.clock.now(),
    resource,
  });
  if (resource.plural === "tokenreviews") return answerTokenReview(review, authentication);
  return answerReview(resource.plural, review, namespace, context.user, api.roles, api.clock.now());
}

function answerTokenReview(review: KubeObject, authentication: Authentication): KubeObject {
  const { token = "", audiences = [ISSUER] } = (review["spec"] ?? {}) as { token?: string; audiences?: string[] };
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const holder = authentication.holderOf(token);
  if (holder === undefined) return { ...review, status: { user: {}, error: "invalid bearer token" } };
  const common = holder.audiences.filter((audience) => audiences.includes(audience));
  if (common.length === 0) {
    const error = `token audiences ${JSON.stringify(holder.audiences)} is invalid for the target audiences ${JSON.stringify(audiences)}`;
    return { ...review, status: { user: {}, error } };
  }
  const { name, uid, groups, extra } = holder.user;
  const user = {
    username: name,
    ...defined({ uid }),
    groups,
    ...defined({ extra }),
  };
  return { ...review, status: { authenticated: true, user, audiences: common } };
}
