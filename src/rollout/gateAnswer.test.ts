import { expect, test } from "vitest";
import { gateReply } from "./gateAnswer.ts";

const vector = (...values: unknown[]): string =>
  answer({ resultType: "vector", result: values.map((value) => ({ metric: {}, value: [1_700_000_000.1, value] })) });

function answer(data: unknown, more: object = {}): string {
  return JSON.stringify({ status: "success", data, ...more });
}

test.each([
  { says: "every sample above 0", body: vector("1", "0.001", "+Inf"), want: "Passed" },
  { says: "one sample at 0", body: vector("1", "0"), want: "Failed" },
  { says: "one sample below 0", body: vector("-Inf", "5"), want: "Failed" },
  { says: "a failure beside what is not a number", body: vector("NaN", "0"), want: "Failed" },
  { says: "what is not a number", body: vector("1", "NaN"), want: "Unknown" },
  { says: "no sample", body: vector(), want: "Unknown" },
  { says: "a scalar", body: answer({ resultType: "scalar", result: [1, "2"] }), want: "Passed" },
  { says: "a scalar of 0", body: answer({ resultType: "scalar", result: [1, "0"] }), want: "Failed" },
  { says: "a range", body: answer({ resultType: "matrix", result: [{ values: [[1, "1"]] }] }), want: "Unknown" },
  { says: "a string", body: answer({ resultType: "string", result: [1, "1"] }), want: "Unknown" },
  {
    says: "a native histogram",
    body: answer({ resultType: "vector", result: [{ histogram: [1, {}] }] }),
    want: "Unknown",
  },
  { says: "a sample of another form", body: vector(1), want: "Unknown" },
  { says: "an empty sample", body: vector(""), want: "Unknown" },
  {
    says: "part of an answer",
    body: answer({ resultType: "scalar", result: [1, "2"] }, { warnings: ["a store is away"] }),
    want: "Unknown",
  },
  {
    says: "a note about the query",
    body: answer({ resultType: "scalar", result: [1, "2"] }, { infos: ["not a counter"] }),
    want: "Passed",
  },
  { says: "another thing than JSON", body: "<html>", want: "Unknown" },
  { says: "JSON of another form", body: "[null]", want: "Unknown" },
])("$says: $want", ({ body, want }) => {
  expect(gateReply(200, body).answer).toBe(want);
});

test.each([
  {
    status: 400,
    body: '{"status":"error","errorType":"bad_data","error":"parse error: secret"}',
    why: "Prometheus does not understand the query",
  },
  {
    status: 503,
    body: '{"status":"error","errorType":"timeout","error":"secret"}',
    why: "the query takes Prometheus too long",
  },
  {
    status: 422,
    body: '{"status":"error","errorType":"execution","error":"secret"}',
    why: "Prometheus answered with 422",
  },
  { status: 403, body: "secret", why: "Prometheus refuses the manager" },
  { status: 502, body: "secret", why: "Prometheus answered with 502" },
  // A proxy that answers an error with a body of success is not believed.
  { status: 500, body: vector("1"), why: "Prometheus answered with 500" },
])("an error is never a failure, and the server's words stay out: $status", ({ status, body, why }) => {
  expect(gateReply(status, body)).toEqual({ answer: "Unknown", why });
});

test.each([
  { says: "null", body: "null", why: "Prometheus answered with 200" },
  { says: "a text", body: '"success"', why: "Prometheus answered with 200" },
  { says: "a list", body: "[]", why: "Prometheus answered with 200" },
  { says: "nothing", body: "", why: "Prometheus answered with 200" },
  {
    says: "success without data",
    body: answer(undefined),
    why: "the query does not give an instant vector or a scalar",
  },
  { says: "data that is null", body: answer(null), why: "the query does not give an instant vector or a scalar" },
  {
    says: "a result that is no list",
    body: answer({ resultType: "scalar", result: "1" }),
    why: "the query does not give an instant vector or a scalar",
  },
  {
    says: "samples in the form of a vector, and another type",
    body: answer({ resultType: "matrix", result: [{ value: [1, "1"] }] }),
    why: "the query does not give an instant vector or a scalar",
  },
  {
    says: "one sample of another form beside a good one",
    body: answer({ resultType: "vector", result: [{ value: [1, "1"] }, null] }),
    why: "the query does not give an instant vector or a scalar",
  },
  { says: "a sample of spaces", body: vector(" "), why: "the query does not give an instant vector or a scalar" },
  { says: "no sample", body: vector(), why: "the query gives no sample" },
  { says: "what is not a number", body: vector("NaN"), why: "the query gives a sample that is not a number" },
  {
    says: "a warning",
    body: answer({ resultType: "scalar", result: [1, "2"] }, { warnings: ["a store is away"] }),
    why: "Prometheus warns that its answer is not whole",
  },
])("nobody can tell from $says: $why", ({ body, why }) => {
  expect(gateReply(200, body)).toEqual({ answer: "Unknown", why });
});

test.each([
  { says: "warnings that are none", more: { warnings: [] } },
  { says: "warnings of another form", more: { warnings: "none" } },
])("$says are no reason to doubt", ({ more }) => {
  expect(gateReply(200, answer({ resultType: "scalar", result: [1, "Inf"] }, more))).toEqual({ answer: "Passed" });
});
