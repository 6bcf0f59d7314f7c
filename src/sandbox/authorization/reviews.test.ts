import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { answerReview } from "./index.ts";
import { object, clusterRole, user, clusterBinding, person, source, refusalOf } from "./testing/roles.ts";

describe("a review", () => {
  const roles = source(
    clusterRole("reader", { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] }),
    clusterRole("paths", { verbs: ["get"], nonResourceURLs: ["/metrics"] }),
    clusterBinding("reader", "reader", user("eve")),
    clusterBinding("paths", "paths", { kind: "Group", name: "system:authenticated" }),
  );
  const eve = person("eve");
  const review = (kind: string, spec: unknown, namespace?: string): KubeObject => ({
    ...object(kind, "", {}, namespace),
    spec,
  });
  const answer = (plural: string, spec: unknown, namespace?: string) =>
    answerReview(plural, review("Review", spec), namespace, eve, roles, Date.parse("2026-11-21T12:00:00.500Z"));
  const pods = { verb: "get", resource: "pods", name: "a" };

  test.each<[name: string, plural: string, spec: unknown, message: string]>([
    [
      "about nothing",
      "selfsubjectaccessreviews",
      {},
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ],
    [
      "about two things",
      "subjectaccessreviews",
      { user: "a", resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/" } },
      'spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      "about nobody",
      "subjectaccessreviews",
      { resourceAttributes: pods },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      "of another namespace",
      "localsubjectaccessreviews",
      { user: "a", resourceAttributes: { ...pods, namespace: "other" } },
      'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    ],
    [
      "of a path in a namespace",
      "localsubjectaccessreviews",
      { user: "a", nonResourceAttributes: { path: "/", verb: "get" } },
      'spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: disallowed on this kind of request',
    ],
  ])("%s is invalid", (_, plural, spec, message) => {
    const status = refusalOf(() => answer(plural, spec, "default"));
    expect(status).toMatchObject({ code: 422, message: `.authorization.k8s.io "" is invalid: ${message}` });
    expect(status?.details).not.toHaveProperty("kind");
  });
});
