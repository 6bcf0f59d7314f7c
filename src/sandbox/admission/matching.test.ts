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

  const rules = (rule: object) => ({ rules: [{ ...RULE, ...rule }] });
  const conditions = (...expressions: string[]) => ({
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });
  const inNamespaces = (expression: object) => ({ namespaceSelector: { matchExpressions: [expression] } });
  const ofStatus = () => creation(configMap(), { subresource: "status" });
  const three = () => creation(configMap({ spec: { replicas: 3 } }));
  const losing = () => creation(configMap(), { operation: "UPDATE", old: labelled });
  const undecided = "object.data.nothere == 'x'";
  const mayGet = "authorizer.group('apps').resource('deployments').check('get').allowed()";
  const whoAndWhat = ["object.spec.replicas > 2", "'staff' in request.userInfo.groups && oldObject == null"];

  test.each<[name: string, webhook: Record<string, unknown>, request: () => AdmissionRequest, asked: boolean]>([
    ["for its own resource", {}, creation, true],
    ["for no other group", rules({ apiGroups: ["apps"] }), creation, false],
    ["for no other operation", rules({ operations: ["DELETE"] }), creation, false],
    ["for no subresource without a star", {}, ofStatus, false],
    ["for subresources with a star", rules({ resources: ["*/*"] }), ofStatus, true],
    ["within its scope only", rules({ scope: "Cluster" }), creation, false],
    ["for objects with its labels", { objectSelector: selector }, () => creation(labelled), true],
    ["for no object without them", { objectSelector: selector }, creation, false],
    ["for an object that loses its labels", { objectSelector: selector }, losing, true],
    ["in namespaces with its labels", inNamespaces({ key: "team", operator: "In", values: ["a"] }), creation, true],
    ["in no namespace without them", inNamespaces({ key: "team", operator: "DoesNotExist" }), creation, false],
    ["when its conditions hold", conditions("request.operation == 'CREATE'", ...whoAndWhat), three, true],
    ["not when one is false, even if another fails", conditions(undecided, "object.kind == 'X'"), creation, false],
    [
      "not when one fails and failures are ignored",
      { failurePolicy: "Ignore", ...conditions(undecided) },
      creation,
      false,
    ],
    ["not when the user may not do what a condition wants", conditions(mayGet), creation, false],
  ])("%s", async (_, more, request, asked) => {
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
