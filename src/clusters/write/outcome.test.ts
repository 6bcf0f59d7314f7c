import { describe, expect, test } from "vitest";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { classify } from "./outcome.ts";

const refused = (status: number, reason: string, text: string, details?: ApiError["details"]) =>
  classify(new ApiError(status, reason, text, details === undefined ? {} : { details }));
const policy = "ValidatingAdmissionPolicy 'limits' with binding 'limits' denied request: no cpu limits";
const webhook = 'admission webhook "quota.example.com" denied the request';
const TYPED = "failed to create typed patch object (default/shop; apps/v1, Kind=Deployment): ";

test.each<[status: number, text: string, reason: string, final: boolean]>([
  [400, "the body is no object", "BadRequest", true],
  [400, ".spec.a: odd", "BadRequest", true],
  [403, 'deployments.apps "shop" is forbidden: exceeded quota: few, requested: 1, limited: 1', "QuotaExceeded", true],
  [403, "requested: pods=1, Quota reached", "QuotaExceeded", true],
  [403, "unable to create new content in namespace x because it is being terminated", "NamespaceTerminating", false],
  [403, "namespace x is terminating", "NamespaceTerminating", false],
  [403, 'User "x" cannot patch resource "deployments"', "Forbidden", true],
  [404, 'my namespaces "x" not found', "KindNotServed", true],
  [404, "the server could not find the requested resource", "KindNotServed", true],
  [413, "no", "TooLarge", true],
  [415, "no", "BadRequest", true],
  [422, "spec.replicas: must be positive", "Invalid", true],
  [422, `metadata.annotations: Invalid value: "${webhook}: no"`, "Invalid", true],
  [422, "spec.selector: Invalid value: field is immutable", "ImmutableField", true],
  [500, "etcd is away", "ServerError", false],
  [500, 'failed calling webhook "w": failed to call webhook: refused', "ServerError", false],
  [500, "etcdserver: request is too large", "TooLarge", true],
  [500, "rpc error: trying to send message larger than max (2500000 vs. 2097152)", "TooLarge", true],
  [500, ".spec.x: field not declared in schema", "UnknownField", true],
])("a refusal with %d %j is %s, final: %s", (status, text, reason, final) => {
  const staleDiscovery = status === 404;
  expect(refused(status, "Whatever", text)).toMatchObject({ kind: "Refused", reason, final, staleDiscovery });
});

test.each([
  ["AlreadyExists", "AlreadyExists", true],
  ["NotAdoptable", "NotAdoptable", true],
  ["CustomObjectsExist", "CustomObjectsExist", true],
  ["WrongScope", "WrongScope", true],
  ["Conflict", "Conflict", false],
  ["Other", "Conflict", false],
])("a conflict for %s is %s, final: %s", (given, reason, final) =>
  expect(refused(409, given, "no")).toMatchObject({ kind: "Refused", reason, final }),
);

const later = (status: number, retryAfterMs?: number) =>
  new ApiError(status, "Later", "later", retryAfterMs === undefined ? {} : { retryAfterMs });
const unreached = (message: string, kind = "Unreached") => ({ kind, reason: "ClusterUnreachable", message });
const rejected = "the member refused the credentials";
test.each<[unknown, object | undefined]>([
  [new ApiError(404, "NotFound", 'namespaces "x" not found'), { kind: "NamespaceMissing" }],
  [new ApiError(404, "NotFound", 'namespace "x" not found'), { kind: "NamespaceMissing" }],
  [new ApiError(404, "NotFound", "gone", { details: { kind: "namespaces" } }), { kind: "NamespaceMissing" }],
  [later(429), { kind: "Throttled", afterMs: 1_000 }],
  [later(429, 0), { kind: "Throttled", afterMs: 0 }],
  [later(503, 2_000), { kind: "Throttled", afterMs: 2_000 }],
  [new ApiError(401, "Unauthorized", "no"), { kind: "Unreached", reason: "CredentialsRejected", message: rejected }],
  [new TransportError("ConnectionReset", "connection reset"), unreached("connection reset")],
  [new TransportError("Timeout", "no answer"), unreached("no answer", "Silent")],
  [new NotLeaderError("gone"), { kind: "NotLeader" }],
  [new TypeError("x is not a function"), undefined],
])("%s is no refusal: %j", (error, want) => expect(classify(error)).toEqual(want));

describe("a refusal by admission", () => {
  test.each<[status: number, text: string, details?: ApiError["details"], message?: string]>([
    // A policy without a reason: the server repeats its sentence as a cause without a field.
    [422, policy, { causes: [{ message: policy }] }, "admission policy limits: no cpu limits"],
    [413, `deployments.apps "shop" is forbidden: ${policy}`, undefined, "admission policy limits: no cpu limits"],
    [401, `pods "a" is forbidden: ${policy}`],
    [400, `${webhook}: no latest tags`, undefined, "webhook quota.example.com: no latest tags"],
    [422, `${webhook}: no`, { causes: [{ field: "spec.replicas", message: "no" }] }],
    [429, `${webhook}: later`],
    [500, `${webhook} without explanation`, undefined, "webhook quota.example.com does not say why"],
  ])("is AdmissionDenied, whatever its code: %d %s", (status, text, details, message) => {
    const outcome = refused(status, "Whatever", text, details);
    expect(outcome).toMatchObject({ kind: "Refused", reason: "AdmissionDenied", final: true, staleDiscovery: false });
    expect(outcome).not.toHaveProperty("fields");
    if (message !== undefined) expect(outcome).toMatchObject({ message });
  });
});

describe("the message of a refusal", () => {
  test.each<[string, ReturnType<typeof classify>, object]>([
    [
      "names entries of one key",
      refused(500, "InternalError", `${TYPED}.spec.volumes: duplicate entries for key [name="v"]`),
      {
        ...{ reason: "DuplicateEntries", final: true, fields: [".spec.volumes"] },
        message: {
          what: "spec.volumes: two entries for one key",
          ...{ why: 'name="v"', remedy: "keep one of them on the hub" },
        },
      },
    ],
    [
      "names an immutable field instead of the quoted value",
      refused(422, "Invalid", "field is immutable", { causes: [{ field: "spec.template", message: "long" }] }),
      {
        ...{ reason: "ImmutableField", fields: ["spec.template"] },
        message: {
          ...{ what: "immutable:", where: ["spec.template"] },
          remedy: "delete the member object, which is made anew, or rename the object on the hub",
        },
      },
    ],
    [
      "names the first other owner of a field",
      refused(409, "Conflict", "conflict", {
        causes: [
          { reason: "Other", message: "x", field: ".a" },
          { reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".spec.replicas" },
        ],
      }),
      { reason: "FieldConflict", message: 'conflict with "kubectl": .spec.replicas', final: true },
    ],
    [
      "holds the causes",
      refused(422, "Invalid", "invalid", {
        causes: [{ field: "spec.a", message: "wrong" }, { message: "no field" }, { field: "", message: "" }],
      }),
      { message: "no field; spec.a: wrong", fields: ["spec.a"] },
    ],
    [
      "leaves out what the server says before the point",
      refused(500, "InternalError", "failed to convert new object (default/w) to proper version: must match '^a$'"),
      { reason: "Invalid", message: "must match '^a$'", final: true },
    ],
  ])("%s", (_, outcome, want) => expect(outcome).toMatchObject(want));

  test("has one order, whatever the order of the causes", () => {
    const causes = [{ field: "spec.b", message: "no" }, { message: "never" }, { field: "spec.a", message: "no" }];
    const [first, second] = [causes, causes.toReversed()].map((given) =>
      refused(422, "Invalid", "", { causes: given }),
    );
    expect(first).toMatchObject({ message: (second as { message: string }).message });
  });

  test("is at most a thousand characters long", () => {
    const outcome = refused(422, "Invalid", `start ${"x".repeat(3_000)}`);
    expect((outcome as { message: string }).message).toHaveLength(1_000);
  });
});

test.each<[text: string, want: string[] | undefined]>([
  [".spec.a: expected numeric, and .spec.b.c: expected string", [".spec.a", ".spec.b.c"]],
  ['strict decoding error: unknown field "spec.x", unknown field "spec.y"', ["spec.x", "spec.y"]],
  ["cannot unmarshal string into Go struct field ServiceSpec.spec.ports.port of type int32", ["spec.ports.port"]],
  ["https://x.test/a: no, 1.5: no", undefined],
  [`${"x".repeat(1_000)} .spec.late: expected numeric`, undefined],
])("the refused fields in %j are %j", (text, want) => {
  const outcome = refused(422, "Invalid", text);
  expect(outcome?.kind === "Refused" ? outcome.fields : "none").toEqual(want);
});

test.each([
  `${TYPED}.spec.a: expected numeric`,
  "failed to convert .spec.a: x",
  "unable to convert unstructured object .spec.a: x",
  "strict decoding error: .spec.a: x",
])("a value of the wrong type is Invalid with whatever code: %s", (text) => {
  for (const status of [400, 500])
    expect(refused(status, "InternalError", text)).toMatchObject({
      reason: "Invalid",
      final: true,
      fields: [".spec.a"],
    });
});

test("the server's words on a Secret are not passed on, only the names of fields", () => {
  const causes = [{ field: "data.a", message: "hunter2" }, { message: "hunter2" }, { field: "" }, { field: "type" }];
  expect(classify(new ApiError(422, "Invalid", "hunter2", { details: { causes } }), true)).toEqual({
    ...{ kind: "Refused", reason: "Invalid", final: true, staleDiscovery: false },
    message: { what: "the member refused the object (422 Invalid)", why: "data.a, type" },
  });
  const long = new ApiError(500, "InternalError", `${TYPED}.data.${"hunter2 ".repeat(90)}`);
  expect(JSON.stringify(classify(long, true))).not.toContain("hunter2");
});
