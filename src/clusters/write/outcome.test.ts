import { describe, expect, test } from "vitest";
import { shortMessage } from "../../apis/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { classify } from "./outcome.ts";

interface Case {
  name: string;
  error: unknown;
  want: object;
}

const quota =
  'deployments.apps "shop" is forbidden: exceeded quota: few, requested: count/deployments.apps=1, used: 1, limited: 1';
const terminating =
  'deployments.apps "shop" is forbidden: unable to create new content in namespace x because it is being terminated';

describe("classify", () => {
  test.each<Case>([
    {
      name: "a quota",
      error: new ApiError(403, "Forbidden", quota),
      want: { kind: "Refused", reason: "QuotaExceeded", final: true },
    },
    {
      name: "entries of one key",
      error: new ApiError(
        500,
        "InternalError",
        'failed to create typed patch object (default/d; apps/v1, Kind=Deployment): .spec.template.spec.volumes: duplicate entries for key [name="v"]',
      ),
      want: {
        kind: "Refused",
        reason: "DuplicateEntries",
        final: true,
        message: {
          what: "spec.template.spec.volumes: two entries for one key",
          why: 'name="v"',
          remedy: "keep one of them on the hub",
        },
        fields: [".spec.template.spec.volumes"],
      },
    },
    {
      name: "a namespace that goes",
      error: new ApiError(403, "Forbidden", terminating),
      want: { kind: "Refused", reason: "NamespaceTerminating", final: false },
    },
    {
      name: "missing rights",
      error: new ApiError(403, "Forbidden", 'User "x" cannot patch resource "deployments"'),
      want: { kind: "Refused", reason: "Forbidden", final: true },
    },
    {
      name: "an admission webhook's no",
      error: new ApiError(403, "Forbidden", 'admission webhook "a.b" denied the request: no'),
      want: { kind: "Refused", reason: "AdmissionDenied" },
    },
    {
      name: "an immutable field",
      error: new ApiError(422, "Invalid", "spec.selector: Invalid value: field is immutable"),
      want: { kind: "Refused", reason: "ImmutableField", final: true },
    },
    {
      name: "an invalid object",
      error: new ApiError(422, "Invalid", "spec.replicas: must be positive"),
      want: { kind: "Refused", reason: "Invalid", final: true },
    },
    {
      name: "a field that an old server does not know",
      error: new ApiError(500, "InternalError", ".spec.x: field not declared in schema"),
      want: { kind: "Refused", reason: "UnknownField", final: true },
    },
    {
      name: "a value of another type than the field's, which the server calls an internal error",
      error: new ApiError(
        500,
        "InternalError",
        "failed to create typed patch object (default/shop; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string",
      ),
      want: {
        kind: "Refused",
        reason: "Invalid",
        message: ".spec.replicas: expected numeric (int or float), got string",
        fields: [".spec.replicas"],
        final: true,
      },
    },
    {
      name: "a value that cannot be read",
      error: new ApiError(
        400,
        "BadRequest",
        "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
      ),
      want: { kind: "Refused", reason: "Invalid", fields: ["spec.replicas"], final: true },
    },
    {
      name: "a request that is not understood",
      error: new ApiError(400, "BadRequest", "the body is no object"),
      want: { kind: "Refused", reason: "BadRequest", final: true },
    },
    {
      name: "the fields that the server lists",
      error: new ApiError(422, "Invalid", "Service is invalid", {
        details: { causes: [{ field: "spec.type", message: "Unsupported value" }] },
      }),
      want: { kind: "Refused", reason: "Invalid", message: "spec.type: Unsupported value", fields: ["spec.type"] },
    },
    {
      name: "a server in trouble",
      error: new ApiError(500, "InternalError", "etcd is away"),
      want: { kind: "Refused", reason: "ServerError", final: false },
    },
    {
      name: "a missing namespace",
      error: new ApiError(404, "NotFound", 'namespaces "x" not found', { details: { kind: "namespaces" } }),
      want: { kind: "NamespaceMissing" },
    },
    {
      name: "what etcd does not take",
      error: new ApiError(500, "InternalError", "etcdserver: request is too large"),
      want: {
        kind: "Refused",
        reason: "TooLarge",
        message: "the cluster's etcd takes no object of that size (1.5 MiB unless told otherwise): make it smaller",
        final: true,
      },
    },
    {
      name: "what etcd's client does not send",
      error: new ApiError(
        500,
        "InternalError",
        "rpc error: trying to send message larger than max (2500000 vs. 2097152)",
      ),
      want: { kind: "Refused", reason: "TooLarge", final: true },
    },
    {
      name: "a kind that is not served",
      error: new ApiError(404, "NotFound", "the server could not find the requested resource"),
      want: { kind: "Refused", reason: "KindNotServed", staleDiscovery: true },
    },
    {
      name: "too many requests",
      error: new ApiError(429, "TooManyRequests", "later", { retryAfterMs: 3_000 }),
      want: { kind: "Throttled", afterMs: 3_000 },
    },
    {
      name: "a server that asks to stay away",
      error: new ApiError(503, "ServiceUnavailable", "later", { retryAfterMs: 2_000 }),
      want: { kind: "Throttled", afterMs: 2_000 },
    },
    {
      name: "rejected credentials",
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      want: { kind: "Unreached", reason: "CredentialsRejected" },
    },
    {
      name: "a name that somebody else has",
      error: new ApiError(409, "AlreadyExists", "taken"),
      want: { kind: "Refused", reason: "AlreadyExists", final: true },
    },
    {
      name: "a write that came between",
      error: new ApiError(409, "Conflict", "modified"),
      want: { kind: "Refused", reason: "Conflict", final: false },
    },
    {
      name: "a broken connection",
      error: new TransportError("ConnectionReset", "connection reset"),
      want: { kind: "Unreached", reason: "ClusterUnreachable", message: "connection reset" },
    },
    { name: "a lost Lease", error: new NotLeaderError("gone"), want: { kind: "NotLeader" } },
    {
      name: "fields of another manager",
      error: new ApiError(409, "Conflict", "conflict", {
        details: {
          causes: [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".spec.replicas" }],
        },
      }),
      want: {
        kind: "Refused",
        reason: "FieldConflict",
        message: 'conflict with "kubectl": .spec.replicas',
        final: true,
      },
    },
  ])("$name", ({ error, want }) => expect(classify(error)).toMatchObject(want));

  test("what is no answer of an API is not explained away", () => {
    expect(classify(new TypeError("x is not a function"))).toBeUndefined();
  });

  test("a refusal gets to its point, and is passed on in full", () => {
    const error = new ApiError(403, "Forbidden", `${quota}${", and more".repeat(30)}`);
    expect(classify(error)).toMatchObject({ message: expect.stringMatching(/^exceeded quota: few, .*and more$/) });
  });

  test("the server's words on a Secret are not passed on", () => {
    const error = new ApiError(422, "Invalid", 'data.password: Invalid value: "hunter2"', {
      details: { causes: [{ field: "data.password", message: 'Invalid value: "hunter2"' }] },
    });
    const outcome = classify(error, true);
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
    const long = new ApiError(
      500,
      "InternalError",
      `failed to create typed patch object: .data.${"hunter2 ".repeat(90)}`,
    );
    expect(JSON.stringify(classify(long, true))).not.toContain("hunter2");
    expect(outcome).toMatchObject({
      message: { what: "the member refused the object (422 Invalid)", why: "data.password" },
    });
  });
});

test("messages are one line of at most 120 characters", () => {
  expect(shortMessage(`a\n b  ${"x".repeat(200)}`)).toMatch(/^a b x+…$/);
  expect(shortMessage("x".repeat(500))).toHaveLength(120);
  expect(shortMessage("short")).toBe("short");
});
