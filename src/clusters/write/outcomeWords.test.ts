import { describe, expect, test } from "vitest";
import { ApiError } from "../../runtime/index.ts";
import { classify } from "./outcome.ts";

const refused = (status: number, reason: string, text: string, details?: ApiError["details"]) =>
  classify(new ApiError(status, reason, text, details === undefined ? {} : { details }));

describe("what a refusal means", () => {
  test.each([
    { status: 413, reason: "TooLarge" },
    { status: 415, reason: "BadRequest" },
  ])("$status: $reason, for good", ({ status, reason }) => {
    expect(refused(status, "Whatever", "no")).toEqual({
      kind: "Refused",
      reason,
      message: "no",
      final: true,
      staleDiscovery: false,
    });
  });

  test("of the credentials is told in our own words", () => {
    expect(refused(401, "Unauthorized", "token is wrong")).toEqual({
      kind: "Unreached",
      reason: "CredentialsRejected",
      message: "the member refused the credentials",
    });
  });

  test.each([
    { text: 'namespaces "x" not found', details: undefined, want: "NamespaceMissing" },
    { text: 'namespace "x" not found', details: undefined, want: "NamespaceMissing" },
    { text: "not found", details: { kind: "namespaces" }, want: "NamespaceMissing" },
    { text: 'my namespaces "x" not found', details: undefined, want: "Refused" },
    { text: "not found", details: { kind: "configmaps" }, want: "Refused" },
    { text: 'deployments "x" not found', details: undefined, want: "Refused" },
  ])("$text $details: $want", ({ text, details, want }) => {
    expect(refused(404, "NotFound", text, details)?.kind).toBe(want);
  });

  test("of a kind makes discovery stale, of anything else does not", () => {
    expect(refused(404, "NotFound", "no such kind")).toMatchObject({ staleDiscovery: true, final: true });
    expect(refused(422, "Invalid", "no")).toMatchObject({ staleDiscovery: false });
  });

  test.each([
    { name: "quota", text: "requested: pods=1, Quota reached", reason: "QuotaExceeded", final: true },
    { name: "terminating", text: "namespace x is terminating", reason: "NamespaceTerminating", final: false },
    {
      name: "policy",
      text: "ValidatingAdmissionPolicy 'a' denied request: no",
      reason: "AdmissionDenied",
      final: true,
    },
    { name: "right", text: "no", reason: "Forbidden", final: true },
  ])("403 by its words, $name: $reason", ({ text, reason, final }) => {
    expect(refused(403, "Forbidden", text)).toMatchObject({ kind: "Refused", reason, final });
  });

  test("what is never adopted is refused for good, and a name that is taken as well", () => {
    expect(refused(409, "NotAdoptable", "no")).toMatchObject({ reason: "NotAdoptable", final: true });
    expect(refused(409, "AlreadyExists", "no")).toMatchObject({ reason: "AlreadyExists", final: true });
    expect(refused(409, "Other", "no")).toMatchObject({ reason: "Conflict", final: false });
  });

  test.each([
    { error: new ApiError(429, "TooManyRequests", "later"), afterMs: 1_000 },
    { error: new ApiError(429, "TooManyRequests", "later", { retryAfterMs: 0 }), afterMs: 0 },
  ])("too many requests without a word on when: again after $afterMs ms", ({ error, afterMs }) => {
    expect(classify(error)).toEqual({ kind: "Throttled", afterMs });
  });
});

describe("admission's no is AdmissionDenied, whatever code its author gave it", () => {
  const policy =
    "ValidatingAdmissionPolicy 'limits' with binding 'limits' denied request: every container needs cpu limits";
  const webhook = 'admission webhook "quota.example.com" denied the request';
  test.each([
    // A policy that names no reason: the server repeats its sentence as a cause without a field.
    {
      status: 422,
      reason: "Invalid",
      text: `deployments.apps "shop" is forbidden: ${policy}`,
      details: { causes: [{ message: policy }] },
      message: "admission policy limits: every container needs cpu limits",
    },
    {
      status: 413,
      reason: "RequestEntityTooLarge",
      text: "ValidatingAdmissionPolicy 'limits' denied request: no",
      message: "admission policy limits: no",
    },
    { status: 401, reason: "Unauthorized", text: `pods "a" is forbidden: ${policy}` },
    {
      status: 400,
      reason: "",
      text: `${webhook}: no latest tags`,
      message: "webhook quota.example.com: no latest tags",
    },
    { status: 403, reason: "Forbidden", text: `${webhook}: quota reached` },
    { status: 404, reason: "NotFound", text: `${webhook}: no such team` },
    { status: 409, reason: "Conflict", text: `${webhook}: taken` },
    {
      status: 422,
      reason: "Invalid",
      text: `${webhook}: no`,
      details: { causes: [{ field: "spec.replicas", message: "no" }] },
    },
    { status: 429, reason: "TooManyRequests", text: `${webhook}: later` },
    {
      status: 500,
      reason: "InternalError",
      text: `${webhook} without explanation`,
      message: "webhook quota.example.com does not say why",
    },
  ])("$status $text", ({ status, reason, text, details, message }) => {
    const outcome = refused(status, reason, text, details);
    expect(outcome).toMatchObject({ kind: "Refused", reason: "AdmissionDenied", final: true, staleDiscovery: false });
    expect(outcome).not.toHaveProperty("fields");
    if (message !== undefined) expect(outcome).toMatchObject({ message });
  });

  test("but not what merely quotes it, nor a webhook that does not answer", () => {
    const value = `Deployment.apps "shop" is invalid: metadata.annotations: Invalid value: "${webhook}: no"`;
    expect(refused(422, "Invalid", value)).toMatchObject({ reason: "Invalid" });
    const away = 'Internal error occurred: failed calling webhook "w": failed to call webhook: refused';
    expect(refused(500, "InternalError", away)).toMatchObject({ reason: "ServerError", final: false });
  });
});

describe("a field that cannot be changed", () => {
  const template = { field: "spec.template", message: `Invalid value: {"${"x".repeat(400)}"}: field is immutable` };

  test("is named, with what to do, instead of the value that the server quotes", () => {
    const outcome = refused(422, "Invalid", "Job is invalid: field is immutable", { causes: [template] });
    expect(outcome).toMatchObject({ reason: "ImmutableField", final: true, fields: ["spec.template"] });
    expect(outcome).toMatchObject({
      message: {
        what: "immutable:",
        where: ["spec.template"],
        remedy: "delete the member object, which is made anew, or rename the object on the hub",
      },
    });
  });
});

test("what the server lists in another order each time is told in one order", () => {
  const causes = [{ field: "spec.b", message: "no" }, { message: "never" }, { field: "spec.a", message: "no" }];
  const told = [causes, causes.toReversed()].map((one) => refused(422, "Invalid", "invalid", { causes: one }));
  expect(told[0]).toMatchObject({ message: (told[1] as { message: string }).message });
});

describe("who owns a field that cannot be taken", () => {
  const conflict = (...causes: object[]) => refused(409, "Conflict", "conflict", { causes });
  const cause = { reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".spec.replicas" };

  test("is said by the first of the causes that is about that", () => {
    expect(conflict({ reason: "Other", message: "x", field: ".a" }, cause)).toMatchObject({
      reason: "FieldConflict",
      message: 'conflict with "kubectl": .spec.replicas',
      final: true,
    });
    expect(conflict({ reason: "FieldManagerConflict" })).toMatchObject({ message: "conflict:" });
  });

  test("is nothing where no cause is about that", () => {
    expect(conflict({ reason: "Other", message: "x" })).toMatchObject({ reason: "Conflict", final: false });
    expect(conflict()).toMatchObject({ reason: "Conflict" });
  });
});

describe("which fields a server refuses", () => {
  const fieldsOf = (status: number, text: string, causes?: object[]) => {
    const outcome = refused(status, "Invalid", text, causes === undefined ? undefined : { causes });
    return outcome?.kind === "Refused" ? outcome.fields : undefined;
  };

  test("are those that it lists", () => {
    const causes = [{ field: "spec.a", message: "wrong" }, { message: "without a field" }, { field: "", message: "" }];
    expect(fieldsOf(422, "invalid", causes)).toEqual(["spec.a"]);
    expect(refused(422, "Invalid", "invalid", { causes })).toMatchObject({
      message: "spec.a: wrong; without a field",
    });
  });

  test.each([
    { text: ".spec.a: expected numeric, and .spec.b.c: expected string", want: [".spec.a", ".spec.b.c"] },
    { text: 'strict decoding error: unknown field "spec.x", unknown field "spec.y"', want: ["spec.x", "spec.y"] },
    { text: "Go struct field ServiceSpec.spec.ports.port of type int32", want: ["spec.ports.port"] },
    { text: "https://x.test/a: no, 1.5: no", want: undefined },
    { text: `${"x".repeat(1_000)} .spec.late: expected numeric`, want: undefined },
  ])("or those that its sentence names: $want", ({ text, want }) => expect(fieldsOf(422, text)).toEqual(want));

  test.each([
    "failed to create typed patch object (a): .spec.a: expected numeric",
    "failed to convert .spec.a: x",
    "unable to convert unstructured object .spec.a: x",
    "strict decoding error: .spec.a: x",
  ])("in whatever words: %s", (text) => {
    for (const status of [400, 500])
      expect(refused(status, "InternalError", text)).toMatchObject({
        reason: "Invalid",
        final: true,
        fields: [".spec.a"],
      });
  });

  test("of a request that is not understood are none", () => {
    expect(refused(400, "BadRequest", ".spec.a: odd")).toEqual({
      kind: "Refused",
      reason: "BadRequest",
      message: ".spec.a: odd",
      final: true,
      staleDiscovery: false,
    });
  });
});

describe("of a Secret", () => {
  const confidential = (error: ApiError) => classify(error, true);

  test("nothing is passed on but the kind of the refusal, and the names of fields", () => {
    const causes = [{ field: "data.a", message: "hunter2" }, { message: "hunter2" }, { field: "" }, { field: "type" }];
    expect(confidential(new ApiError(422, "Invalid", "hunter2", { details: { causes } }))).toEqual({
      kind: "Refused",
      reason: "Invalid",
      message: { what: "the member refused the object (422 Invalid)", why: "data.a, type" },
      final: true,
      staleDiscovery: false,
    });
    expect(confidential(new ApiError(403, "Forbidden", "hunter2"))).toMatchObject({
      message: { what: "the member refused the object (403 Forbidden)" },
    });
  });

  test("what is no refusal is said as of any other object", () => {
    expect(confidential(new ApiError(429, "TooManyRequests", "later"))).toEqual({ kind: "Throttled", afterMs: 1_000 });
  });
});

test("of a long sentence a thousand characters are passed on", () => {
  const outcome = refused(422, "Invalid", `start ${"x".repeat(3_000)}`);
  if (outcome?.kind !== "Refused") throw new Error("no refusal");
  expect(outcome.message).toHaveLength(1_000);
});

describe("of a sentence that is too long", () => {
  const said = (text: string) => {
    const outcome = refused(500, "InternalError", text);
    if (outcome?.kind !== "Refused") throw new Error("no refusal");
    return outcome;
  };

  test("what the server says before the point is left out", () => {
    const into = "unable to convert unstructured object to apps/v1, Kind=Deployment";
    const point = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    const text = `failed to convert new object (default/w; apps/v1, Kind=Deployment) to proper version: ${into}: ${point}`;
    expect(said(text)).toMatchObject({ reason: "Invalid", message: point, final: true });
  });
});
