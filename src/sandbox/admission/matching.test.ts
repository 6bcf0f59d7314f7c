import { describe, expect, test } from "vitest";
import type { RoleSource } from "../authorization/index.ts";
import type { KubeObject } from "../types.ts";
import type { AdmissionRequest } from "./index.ts";
import {
  admission,
  answering,
  configMap,
  configuration,
  context,
  creation,
  failureOf,
  hooks,
  NAMESPACES,
  resource,
  RULE,
  useHookServer,
  validatingBy,
  webhook,
} from "./testing/admissions.ts";

useHookServer();

const NO_ROLES: RoleSource = {
  clusterRole: () => undefined,
  role: () => undefined,
  clusterRoleBindings: () => [],
  roleBindings: () => [],
};

describe("a review", () => {
  test("says to the webhook who wants what, as the API server says it", async () => {
    hooks.reply("/a", answering({ allowed: true }));
    const old = configMap({ data: { a: "1" } });
    await validatingBy(webhook("a")).validate(creation(configMap({ data: { a: "2" } }), { operation: "UPDATE", old }));
    const [received] = hooks.received;
    expect(received?.path).toBe("/a?timeout=5s");
    expect(received?.headers).toMatchObject({
      "user-agent": "kube-apiserver-admission",
      "content-type": "application/json",
    });
    expect(received?.headers).not.toHaveProperty("authorization");
    const own = { group: "", version: "v1", resource: "configmaps" };
    expect(received?.body).toEqual({
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      request: {
        uid: "uid-1",
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: own,
        requestKind: { group: "", version: "v1", kind: "ConfigMap" },
        requestResource: own,
        name: "settings",
        namespace: "default",
        operation: "UPDATE",
        userInfo: { username: "ann", uid: "1", groups: ["staff", "system:authenticated"] },
        object: configMap({ data: { a: "2" } }),
        oldObject: old,
        dryRun: false,
        options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
      },
    });
  });

  test("of a namespace is a request in that namespace", async () => {
    hooks.reply("/a", answering({ allowed: true }));
    const object: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
    const { namespace: _, ...request } = creation(object, { resource: NAMESPACES });
    await validatingBy(webhook("a", { rules: [{ ...RULE, resources: ["namespaces"], scope: "Cluster" }] })).validate(
      request,
    );
    expect(hooks.received[0]?.body.request).toMatchObject({ name: "team", namespace: "team" });
  });
});

describe("a webhook is asked", () => {
  const labelled = configMap({}, { labels: { shown: "yes" } });
  const selector = { matchLabels: { shown: "yes" } };

  test.each<{ name: string; webhook: Record<string, unknown>; request: () => AdmissionRequest; asked: boolean }>([
    { name: "for its own resource", webhook: {}, request: () => creation(), asked: true },
    {
      name: "for no other group",
      webhook: { rules: [{ ...RULE, apiGroups: ["apps"] }] },
      request: () => creation(),
      asked: false,
    },
    {
      name: "for no other operation",
      webhook: { rules: [{ ...RULE, operations: ["DELETE"] }] },
      request: () => creation(),
      asked: false,
    },
    {
      name: "for no subresource without a star",
      webhook: {},
      request: () => creation(configMap(), { subresource: "status" }),
      asked: false,
    },
    {
      name: "for subresources with a star",
      webhook: { rules: [{ ...RULE, resources: ["*/*"] }] },
      request: () => creation(configMap(), { subresource: "status" }),
      asked: true,
    },
    {
      name: "within its scope only",
      webhook: { rules: [{ ...RULE, scope: "Cluster" }] },
      request: () => creation(),
      asked: false,
    },
    {
      name: "for objects with its labels",
      webhook: { objectSelector: selector },
      request: () => creation(labelled),
      asked: true,
    },
    {
      name: "for no object without them",
      webhook: { objectSelector: selector },
      request: () => creation(),
      asked: false,
    },
    {
      name: "for an object that loses its labels",
      webhook: { objectSelector: selector },
      request: () => creation(configMap(), { operation: "UPDATE", old: labelled }),
      asked: true,
    },
    {
      name: "in namespaces with its labels",
      webhook: { namespaceSelector: { matchExpressions: [{ key: "team", operator: "In", values: ["a"] }] } },
      request: () => creation(),
      asked: true,
    },
    {
      name: "in no namespace without them",
      webhook: { namespaceSelector: { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] } },
      request: () => creation(),
      asked: false,
    },
    {
      name: "when its conditions hold",
      webhook: {
        matchConditions: [
          { name: "a", expression: "request.operation == 'CREATE' && object.spec.replicas > 2" },
          { name: "b", expression: "'staff' in request.userInfo.groups && oldObject == null" },
        ],
      },
      request: () => creation(configMap({ spec: { replicas: 3 } })),
      asked: true,
    },
    {
      name: "not when one condition is false, even if another fails",
      webhook: {
        matchConditions: [
          { name: "a", expression: "object.data.nothere == 'x'" },
          { name: "b", expression: "object.metadata.name == 'other'" },
        ],
      },
      request: () => creation(),
      asked: false,
    },
    {
      name: "not when a condition fails and failures are ignored",
      webhook: { failurePolicy: "Ignore", matchConditions: [{ name: "a", expression: "object.data.nothere == 'x'" }] },
      request: () => creation(),
      asked: false,
    },
    {
      name: "not when the user may not do what a condition wants",
      webhook: {
        matchConditions: [
          { name: "a", expression: "authorizer.group('apps').resource('deployments').check('get').allowed()" },
        ],
      },
      request: () => creation(),
      asked: false,
    },
  ])("$name", async ({ webhook: more, request, asked }) => {
    hooks.reply("/a", answering({ allowed: true }));
    const webhooks = admission({ validating: () => [configuration("c", webhook("a", more))], roles: NO_ROLES });
    await webhooks.validate(request());
    expect(hooks.received).toHaveLength(asked ? 1 : 0);
  });

  test("with what the user may do, when a condition wants that", async () => {
    hooks.reply("/a", answering({ allowed: true }));
    const expression = "authorizer.group('apps').resource('deployments').namespace('x').check('get').allowed()";
    const webhooks = admission({
      validating: () => [configuration("c", webhook("a", { matchConditions: [{ name: "a", expression }] }))],
      roles: NO_ROLES,
    });
    const master = context({ user: { name: "root", groups: ["system:masters"] } });
    await webhooks.validate(creation(configMap(), { context: master }));
    expect(hooks.received).toHaveLength(1);
  });

  test("and a condition that cannot be decided refuses the request", async () => {
    const more = { matchConditions: [{ name: "a", expression: "object.data.nothere == 'x'" }] };
    const status = await failureOf(validatingBy(webhook("a", more)).validate(creation(configMap({ data: {} }))));
    expect(status).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: `configmaps "settings" is forbidden: expression 'object.data.nothere == 'x'' resulted in error: no such key: nothere`,
      details: { name: "settings", kind: "configmaps" },
    });
  });

  test("never about the configurations of webhooks", async () => {
    const configurations = resource(
      "admissionregistration.k8s.io",
      "validatingwebhookconfigurations",
      "X",
      ["v1"],
      false,
    );
    const everything = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
    const webhooks = validatingBy(webhook("a", { rules: [everything] }));
    await webhooks.validate(creation(configMap(), { resource: configurations }));
    expect(hooks.received).toEqual([]);
  });

  test("not in a namespace that is gone: the request fails", async () => {
    const webhooks = admission({
      validating: () => [configuration("c", webhook("a", { namespaceSelector: { matchLabels: { a: "b" } } }))],
      namespace: () => undefined,
    });
    expect(await failureOf(webhooks.validate(creation()))).toMatchObject({ code: 404 });
  });
});
