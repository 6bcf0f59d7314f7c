import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import {
  conditionMessage,
  fullMessage,
  isSameMessage,
  type Message,
  type MessageParts,
  prefixed,
  withCause,
} from "./message.ts";

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
    {
      name: "drops the lead first",
      message: { lead: "1 of 2 clusters ready; ", what: "not observed:", where: ["a", "b"] },
      limit: 30,
      want: "not observed: a, b",
    },
    {
      name: "shortens long names before the cause is cut",
      message: { what: `OverridePolicy ${"n".repeat(60)}, rule 1`, why: "container web has no image to override" },
      limit: 100,
      want: `OverridePolicy ${"n".repeat(23)}…, rule 1: container web has no image to override`,
    },
    {
      name: "keeps the ends of paths",
      message: {
        what: "Deployment web",
        why: "spec.template.spec.containers[0].image is not in meridian.example.com/allowed-images",
      },
      limit: 80,
      want: "Deployment web: …containers[0].image is not in …/allowed-images",
    },
    {
      name: "reads what is wrong to its end beside long names",
      message: {
        lead: "0 of 1 cluster ready; ",
        subject: `${"c".repeat(60)}: OverridePolicy ${"p".repeat(60)}, rule 0: `,
        aside: "patch 0 on Deployment: replace: ",
        what: `/spec/${"n".repeat(60)} does not exist`,
      },
      limit: 120,
      want: `${"c".repeat(11)}…: OverridePolicy ${"p".repeat(11)}…, rule 0: …/${"n".repeat(23)}… does not exist`,
    },
    {
      name: "drops terms in brackets before names",
      message: { what: "Deployment web", why: "spec.hostPID must not be true (level baseline)" },
      limit: 50,
      want: "Deployment web: spec.hostPID must not be true",
    },
    {
      name: "cuts a remedy of which enough is left",
      message: {
        what: "not granted:",
        where: ["widgets"],
        remedy: `run \`meridian join a --renew --kinds ${"w".repeat(60)}\``,
      },
      limit: 60,
      want: "not granted: widgets; run `meridian join a --renew --kinds…",
    },
    { name: "cuts a text at its end", message: "one two three four", limit: 12, want: "one two…" },
  ])("$name", ({ message, limit, want }) => expect(conditionMessage(message, limit)).toBe(want));

  const words = fc.string({ unit: fc.constantFrom("a", "b", " ", "`", ": ", "; ", "long-name-"), maxLength: 200 });
  const parts = fc.record(
    {
      lead: words,
      subject: words,
      aside: words,
      what: words,
      where: fc.array(words, { maxLength: 150 }),
      why: words,
      remedy: words,
    },
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
  ["no quota", { what: "a", why: "no quota" }],
  ["", { what: "a" }],
  [
    { what: "no quota for", where: ["cpu"] },
    { subject: "a: ", what: "no quota for", where: ["cpu"] },
  ],
  [
    { lead: "1 of 2: ", subject: "b: ", what: "no quota" },
    { subject: "a: b: ", what: "no quota", aside: "1 of 2: " },
  ],
])("%j of a cluster names the cluster first", (message, want) => expect(prefixed("a: ", message)).toEqual(want));

test.each<[Message, MessageParts]>([
  ["no quota", { what: "refused", why: "no quota" }],
  [
    { what: "has finalizer", where: ["a", "b"], remedy: "remove them" },
    { what: "refused", why: "has finalizer a, b", remedy: "remove them" },
  ],
])("%j as a cause keeps its remedy", (cause, want) => expect(withCause({ what: "refused" }, cause)).toEqual(want));

test.each<[Message | undefined, Message | undefined, boolean]>([
  ["a: b", { what: "a", why: "b" }, true],
  [{ what: "a" }, { what: "a", where: ["b"] }, false],
  [undefined, "", false],
  [undefined, undefined, true],
])("%j says the same as %j: %s", (a, b, want) => expect(isSameMessage(a, b)).toBe(want));
