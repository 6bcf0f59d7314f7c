import { describe, expect, test } from "vitest";
import type { RoleSource } from "../authorization/index.ts";
import {
  admission,
  answering,
  configMap,
  configuration,
  context,
  creation,
  failureOf,
  hooks,
  resource,
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
});

describe("a webhook is asked", () => {
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
