import { describe, expect, test } from "vitest";
import { merged } from "./applied.ts";

interface Case {
  name: string;
  last?: object;
  wanted: object;
  live: object;
  want: object;
}

describe("a file is merged as kubectl apply does it", () => {
  test.each<Case>([
    { name: "what is in the file counts", wanted: { a: 1 }, live: { a: 2 }, want: { a: 1 } },
    { name: "what only the hub has stays", wanted: { a: 1 }, live: { a: 1, b: 2 }, want: { a: 1, b: 2 } },
    {
      name: "what was applied before and is not in the file goes",
      last: { spec: { a: 1, b: 2 } },
      wanted: { spec: { a: 1 } },
      live: { spec: { a: 1, b: 2, c: 3 } },
      want: { spec: { a: 1, c: 3 } },
    },
    {
      name: "a null takes a field away",
      wanted: { a: null, b: { c: null } },
      live: { a: 1, b: { c: 1, d: 2 } },
      want: { b: { d: 2 } },
    },
    {
      name: "keys may have the name of something else in JavaScript",
      wanted: JSON.parse('{"data":{"__proto__":"a","constructor":"b"}}') as object,
      live: { data: {} },
      want: JSON.parse('{"data":{"__proto__":"a","constructor":"b"}}') as object,
    },
    { name: "a list counts as a whole", wanted: { l: [1] }, live: { l: [1, 2] }, want: { l: [1] } },
    {
      name: "labels of others stay",
      last: { metadata: { labels: { mine: "1", old: "1" } } },
      wanted: { metadata: { labels: { mine: "2" } } },
      live: { metadata: { uid: "u", labels: { mine: "1", old: "1", theirs: "1" } } },
      want: { metadata: { uid: "u", labels: { mine: "2", theirs: "1" } } },
    },
    {
      name: "a map in the place of nothing is taken as it is",
      last: { spec: {} },
      wanted: { spec: { map: { a: 1 } } },
      live: { spec: {} },
      want: { spec: { map: { a: 1 } } },
    },
  ])("$name", ({ last, wanted, live, want }) => expect(merged(last, wanted, live)).toEqual(want));
});
