import { expect, test } from "vitest";
import { gateReply } from "./gateAnswer.ts";

const vector = (...values: unknown[]): string =>
  answer({ resultType: "vector", result: values.map((value) => ({ metric: {}, value: [1_700_000_000.1, value] })) });

const scalar = (value: string, more: object = {}): string => answer({ resultType: "scalar", result: [1, value] }, more);

function answer(data: unknown, more: object = {}): string {
  return JSON.stringify({ status: "success", data, ...more });
}

test.each<[string, string, string]>([
  ["every sample above 0", vector("1", "0.001", "+Inf"), "Passed"],
  ["one sample at 0", vector("1", "0"), "Failed"],
  ["one sample below 0", vector("-Inf", "5"), "Failed"],
  ["a scalar", scalar("2"), "Passed"],
  ["a note about the query", scalar("2", { infos: ["not a counter"] }), "Passed"],
  ["a warning of another form", scalar("Inf", { warnings: "none" }), "Passed"],
])("%s: %s", (_says, body, want) => expect(gateReply(200, body)).toEqual({ answer: want }));

const error = (errorType: string): string => JSON.stringify({ status: "error", errorType, error: "secret" });
test.each<[number, string, string]>([
  [400, error("bad_data"), "Prometheus does not understand the query"],
  [503, error("timeout"), "the query takes Prometheus too long"],
  [403, "secret", "Prometheus refuses the manager"],
  [502, "secret", "Prometheus answered with 502"],
  // A proxy that answers an error with a body of success is not believed.
  [500, vector("1"), "Prometheus answered with 500"],
])("an error is never a failure, and the server's words stay out: %i", (status, body, why) =>
  expect(gateReply(status, body)).toEqual({ answer: "Unknown", why }),
);

const NO_VECTOR = "the query does not give an instant vector or a scalar";
test.each<[string, string, string]>([
  ...["null", '"success"', "[]", "[null]", "<html>", ""].map((body): [string, string, string] => [
    `the body ${body}`,
    body,
    "Prometheus answered with 200",
  ]),
  ["success without data", answer(undefined), NO_VECTOR],
  ["a range", answer({ resultType: "matrix", result: [{ value: [1, "1"] }] }), NO_VECTOR],
  ["a native histogram", answer({ resultType: "vector", result: [{ histogram: [1, {}] }] }), NO_VECTOR],
  ["one sample of another form", answer({ resultType: "vector", result: [{ value: [1, "1"] }, null] }), NO_VECTOR],
  ["a sample that is no text", vector(1), NO_VECTOR],
  ["a sample of spaces", vector(" "), NO_VECTOR],
  ["no sample", vector(), "the query gives no sample"],
  ["what is not a number", vector("1", "NaN"), "the query gives a sample that is not a number"],
  [
    "part of an answer",
    scalar("2", { warnings: ["a store is away"] }),
    "Prometheus warns that its answer is not whole",
  ],
])("nobody can tell from %s", (_says, body, why) => expect(gateReply(200, body)).toEqual({ answer: "Unknown", why }));
