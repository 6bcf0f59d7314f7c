import { expect, test } from "vitest";
import type { FullObject } from "../../query/index.ts";
import { type WholeAnswer, wholePairOf } from "./wholePair.ts";

const ref = { kind: "Deployment", name: "web" };

test("the page reads what the server answers", () => {
  // A field that the server renames is an error of the compiler here.
  const read = (answer: FullObject): WholeAnswer => answer;
  expect(read).toBeTypeOf("function");
});

test("a pair has the decision, waits and differences of its cluster, and of no other", () => {
  const answer: WholeAnswer = {
    explanation: {
      clusters: [
        { name: "eu-1", reason: "TaintNotTolerated", message: "has the taint a=b", remedies: ["tolerate a=b"] },
        { name: "us-1", reason: "Selected", message: "in group all", remedies: [] },
      ],
      waits: [{ message: "for approval of stage two" }],
    },
    differences: [
      { cluster: "us-1", objects: [{ ref, change: "Create" }] },
      {
        cluster: "eu-1",
        objects: [
          { ref, change: "None" },
          {
            ref: { kind: "Secret", name: "login" },
            change: "Change",
            failure: { message: "the member refuses" },
            fields: [
              { path: "data.key", masked: true },
              { path: "spec.replicas", before: 1, after: 3 },
              { path: "spec.paused", after: true },
            ],
          },
        ],
      },
    ],
  };
  expect(wholePairOf(answer, "eu-1")).toEqual({
    decision: { reason: "TaintNotTolerated", message: "has the taint a=b" },
    remedies: ["tolerate a=b"],
    waits: ["for approval of stage two"],
    differences: [
      {
        object: "Secret/login",
        what: "is to be changed",
        because: "the member refuses",
        fields: [
          { path: "data.key", observed: "hidden", desired: "hidden" },
          { path: "spec.replicas", observed: "1", desired: "3" },
          { path: "spec.paused", observed: "nothing", desired: "true" },
        ],
      },
    ],
  });
  expect(wholePairOf({ differences: [] }, "eu-1")).toEqual({
    decision: undefined,
    remedies: [],
    waits: [],
    differences: [],
  });
});

test("long values are cut, and a word of a newer server is shown as it is", () => {
  const fields = [{ path: "spec.text", after: "x".repeat(500) }];
  const { differences } = wholePairOf(
    { differences: [{ cluster: "eu-1", objects: [{ ref, change: "Rename", fields }] }] },
    "eu-1",
  );
  expect(differences[0]?.what).toBe("Rename");
  expect(differences[0]?.fields[0]?.desired).toHaveLength(81);
});
