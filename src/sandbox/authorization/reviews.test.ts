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

  test.each<{ name: string; plural: string; spec: unknown; message: string }>([
    {
      name: "about nothing",
      plural: "selfsubjectaccessreviews",
      spec: {},
      message: `.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`,
    },
    {
      name: "about two things",
      plural: "subjectaccessreviews",
      spec: { user: "a", resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/" } },
      message: `.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes`,
    },
    {
      name: "about nobody",
      plural: "subjectaccessreviews",
      spec: { resourceAttributes: pods },
      message: `.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified`,
    },
    {
      name: "of another namespace",
      plural: "localsubjectaccessreviews",
      spec: { user: "a", resourceAttributes: { ...pods, namespace: "other" } },
      message: `.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace`,
    },
    {
      name: "of a path in a namespace",
      plural: "localsubjectaccessreviews",
      spec: { user: "a", nonResourceAttributes: { path: "/", verb: "get" } },
      message: `.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: disallowed on this kind of request`,
    },
  ])("$name is invalid", ({ plural, spec, message }) => {
    const status = refusalOf(() => answer(plural, spec, "default"));
    expect(status).toMatchObject({ code: 422, message });
    expect(status?.details).not.toHaveProperty("kind");
  });
});
