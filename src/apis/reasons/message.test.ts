import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { conditionMessage, fullMessage, type Message, type MessageParts, prefixed } from "./message.ts";

const FINALIZERS: MessageParts = {
  what: "Deployment web has the finalizers",
  where: ["example.com/a", "example.com/b"],
  remedy: "mend its controller or remove them",
};

describe("conditionMessage", () => {
  test.each<{ name: string; message: Message; limit: number; want: string }>([
    {
      name: "has all parts where they fit",
      message: { what: "refused on", where: ["a", "b"], why: "no quota", remedy: "raise `quota`" },
      limit: 60,
      want: "refused on a, b: no quota; raise `quota`",
    },
    {
      name: "shortens the list first",
      message: FINALIZERS,
      limit: 95,
      want: "Deployment web has the finalizers example.com/a and 1 more; mend its controller or remove them",
    },
    {
      name: "cuts the cause and keeps the remedy",
      message: {
        what: "refused on",
        where: ["a"],
        why: "the webhook w denied the request for good",
        remedy: "ask its owner",
      },
      limit: 60,
      want: "refused on a: the webhook w denied the…; ask its owner",
    },
    {
      name: "leaves out the value that a server quotes",
      message: {
        what: "refused on",
        where: ["a"],
        why: 'spec.replicas: Invalid value: "12345678901234567890": must be smaller',
      },
      limit: 50,
      want: "refused on a: spec.replicas: must be smaller",
    },
    {
      name: "drops a cause of which too little is left",
      message: {
        what: "the member refuses the object on",
        where: ["shanghai-1"],
        why: "it has no quota",
        remedy: "raise the quota",
      },
      limit: 62,
      want: "the member refuses the object on shanghai-1; raise the quota",
    },
    {
      name: "drops the remedy last",
      message: FINALIZERS,
      limit: 60,
      want: "Deployment web has the finalizers example.com/a and 1 more",
    },
    {
      name: "shortens a long name before the finalizer is lost",
      message: { what: `ConfigMap ${"n".repeat(100)} has the finalizer`, where: ["example.com/a"] },
      limit: 80,
      want: `ConfigMap ${"n".repeat(23)}… has the finalizer example.com/a`,
    },
    { name: "cuts a text at its end", message: "one two three four", limit: 12, want: "one two…" },
  ])("$name", ({ message, limit, want }) => expect(conditionMessage(message, limit)).toBe(want));

  const words = fc.string({ unit: fc.constantFrom("a", "b", " ", "`", ": ", "; ", "long-name-"), maxLength: 200 });
  const parts = fc.record(
    { what: words, where: fc.array(words, { maxLength: 150 }), why: words, remedy: words },
    { requiredKeys: ["what"] },
  );

  test.prop([fc.oneof(words, parts)])("is one line within the limit, and complete where that fits", (message) => {
    const text = conditionMessage(message);
    expect(text.length).toBeLessThanOrEqual(120);
    expect(text).not.toMatch(/\n|\t| {2}/);
    const full = conditionMessage(message, 100_000);
    if (full.length <= 120) expect(text).toBe(full);
  });

  const name = fc.stringMatching(/^[a-z]{1,12}$/);
  test.prop([name, fc.array(name, { minLength: 1, maxLength: 200 }), fc.option(words, { nil: undefined }), name])(
    "names what, the first place and the remedy, whatever the length of the list and the cause",
    (what, where, why, remedy) => {
      const text = conditionMessage({ what, where, remedy, ...(why === undefined ? {} : { why }) });
      expect(text.startsWith(`${what} ${where[0]}`)).toBe(true);
      expect(text.endsWith(`; ${remedy}`)).toBe(true);
    },
  );
});

test("the full message has 512 characters at most", () => {
  const where = Array.from({ length: 1000 }, (_, index) => `cluster-${index}`);
  const text = fullMessage({ what: "refused on", where, remedy: "ask" });
  expect(text.length).toBeLessThanOrEqual(512);
  expect(text).toMatch(/^refused on cluster-0, .* and \d+ more; ask$/);
});

test.each<[Message, Message]>([
  ["no quota", "a: no quota"],
  [
    { what: "no quota for", where: ["cpu"] },
    { what: "a: no quota for", where: ["cpu"] },
  ],
])("%j of a cluster names the cluster first", (message, want) => expect(prefixed("a: ", message)).toEqual(want));
