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
