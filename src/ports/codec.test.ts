import { isDeepStrictEqual } from "node:util";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { ApplyRow, HoldRow } from "../desiredstate/index.ts";
import {
  decodeAnswer,
  decodeClusterAnswer,
  decodeClusterMessage,
  decodeConnectionAnswer,
  decodeConnectionRequest,
  decodeConnections,
  type Decoded,
  decodeReport,
  decodeRequest,
  decodeSession,
  decodeWork,
  encode,
  MESSAGE_BOUNDS,
} from "./codec.ts";
import type { Report, WorkMessage } from "./index.ts";
import { MOST_CHARACTERS } from "./schemas/parts.ts";
import {
  assignmentRequests,
  clusterAnswers,
  clusterMessages,
  connectionAnswers,
  connectionMessages,
  connectionRequests,
  reportAnswers,
  reports,
  reportSessions,
  workMessages,
} from "./testing/arbitraries.ts";

function valueOf<T>(decoded: Decoded<T>): T {
  if ("error" in decoded) throw new Error(decoded.error);
  return decoded.value;
}

function errorOf(decoded: Decoded<unknown>): string | undefined {
  return "error" in decoded ? decoded.error : undefined;
}

/** `toStrictEqual` compares what the keys `constructor` and `__proto__` of an object hold, as if it were its class. */
function expectSame(received: unknown, sent: unknown): void {
  expect(isDeepStrictEqual(received, sent)).toBe(true);
}

describe("a message arrives as it was sent", () => {
  test.prop([workMessages])("work", (sent) => {
    expectSame(valueOf(decodeWork(encode(sent))), sent);
  });

  test.prop([assignmentRequests])("a request for work", (sent) => {
    expectSame(valueOf(decodeRequest(encode(sent))), sent);
  });

  test.prop([reportSessions])("a session", (sent) => {
    expectSame(valueOf(decodeSession(encode(sent))), sent);
  });

  test.prop([reports])("a report", (sent) => {
    expectSame(valueOf(decodeReport(encode(sent))), sent);
  });

  test.prop([reportAnswers])("an answer", (sent) => {
    expectSame(valueOf(decodeAnswer(encode(sent))), sent);
  });

  test.prop([connectionMessages])("the settings of a connection", (sent) => {
    expectSame(valueOf(decodeConnections(encode(sent))), sent);
  });

  test.prop([connectionRequests])("a request for connections", (sent) => {
    expectSame(valueOf(decodeConnectionRequest(encode(sent))), sent);
  });

  test.prop([connectionAnswers])("the end of a connection", (sent) => {
    expectSame(valueOf(decodeConnectionAnswer(encode(sent))), sent);
  });

  test.prop([clusterMessages])("what a connection says of its cluster", (sent) => {
    expectSame(valueOf(decodeClusterMessage(encode(sent))), sent);
  });

  test.prop([clusterAnswers])("an answer to a connection", (sent) => {
    expectSame(valueOf(decodeClusterAnswer(encode(sent))), sent);
  });
});

describe("a message is bounded", () => {
  const worker = (length: number): string => encode({ version: 1, worker: "w".repeat(length), number: 1, epoch: 1 });

  test("a text has its longest length, and no character more", () => {
    expect(errorOf(decodeSession(worker(MOST_CHARACTERS)))).toBeUndefined();
    expect(errorOf(decodeSession(worker(MOST_CHARACTERS + 1)))).toMatch(/^worker /);
  });

  test("a cluster of 1,000 kinds with the longest names, and a condition with the longest message, pass", () => {
    const kinds = Array.from({ length: 1_000 }, (_, index) => ({ group: "g".repeat(253), kind: `K${index}` }));
    const types = kinds.map((kind) => ({ ...kind, version: "v1", plural: "p".repeat(253), namespaced: true }));
    const work: WorkMessage = { seq: 0, kind: "Kinds", kinds: types, others: kinds };
    expectSame(valueOf(decodeWork(encode(work))), work);
    const contact = { ok: false, synced: false, pending: false, message: "m".repeat(32_768) };
    expectSame(valueOf(decodeReport(encode({ seq: 0, contact }))), { seq: 0, contact });
  });
});

const REF = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "login" };
const OWNER = { ...REF, uid: "u" };
const ROW: ApplyRow = {
  verb: "Apply",
  cluster: "shanghai-1",
  ref: REF,
  owner: OWNER,
  role: "rendered",
  object: { apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, data: { password: "hunter2" } },
  hash: "h",
  conflictResolution: "Abort",
};
const HELD: HoldRow = {
  ...{ verb: "Hold", cluster: "shanghai-1", ref: REF, owner: OWNER, role: "rendered", wanted: true },
  why: { reason: "FoundOnJoin", message: { what: "it was there" } },
};

/** The row with other fields, also with those that no row has. */
const workOf = (change: object, row: object = ROW): string =>
  JSON.stringify({ seq: 0, kind: "Rows", rows: [{ ref: REF, revision: 1, row: { ...row, ...change } }] });

const objectIn = (text: string): unknown => {
  const work = valueOf(decodeWork(text));
  const [delta] = work.kind === "Rows" ? work.rows : [];
  return delta?.row?.verb === "Apply" ? delta.row.object : undefined;
};

test("a member that is undefined is absent at the other end", () => {
  const sent: WorkMessage = {
    seq: 0,
    kind: "Rows",
    rows: [{ ref: REF, revision: 1, row: undefined, origin: undefined }],
  };
  expect(valueOf(decodeWork(encode(sent)))).toStrictEqual({
    ...sent,
    rows: [{ ref: REF, revision: 1 }],
  });
});

describe("the content of an object is any JSON", () => {
  test("with integers beyond 2^53, as BigInt", () => {
    const object = {
      ...ROW.object,
      most: 18_446_744_073_709_551_615n,
      least: -9_223_372_036_854_775_808n,
      odd: 2n ** 53n + 1n,
    };
    expect(
      objectIn(encode({ seq: 0, kind: "Rows", rows: [{ ref: REF, revision: 1, row: { ...ROW, object } }] })),
    ).toEqual(object);
  });

  test("with the key __proto__, which changes no prototype", () => {
    const polluting = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"__proto__":{"isAdmin":true}}';
    const text = workOf({ object: "OBJECT" }).replace('"OBJECT"', polluting);
    const object = objectIn(text) as object;
    expect(Object.keys(object)).toContain("__proto__");
    expect("isAdmin" in object).toBe(false);
    expect("isAdmin" in {}).toBe(false);
    expect(JSON.stringify(object)).toBe(polluting);
  });
});

describe("work is refused", () => {
  test.each([
    ["that is no JSON", '{"seq": 0, "kind": hunter2', "the message is not valid JSON"],
    ["that is no map", "[]", "the message must be a map, and is a list"],
    ["that is nothing", "null", "the message must be a map, and is null"],
    ["without a number", '{"kind":"NotSynced"}', "seq is missing; give a number"],
    ["with a negative number", '{"seq":-1,"kind":"NotSynced"}', "seq must be at least 0"],
    ["with a number too large to count with", '{"seq":9007199254740993,"kind":"NotSynced"}', /^seq must be/],
    ["without a kind", '{"seq":0}', "kind is missing, or is a word that this version does not know"],
    ["of a later kind", '{"seq":0,"kind":"Later"}', "kind is missing, or is a word that this version does not know"],
    ["with an unknown field", '{"seq":0,"kind":"NotSynced","why":"hunter2"}', /^why is a field that this version does/],
    ["with the fields of another kind", '{"seq":0,"kind":"NotSynced","epoch":1}', /^epoch is a field that/],
    [
      "with a checksum of more than 32 bits",
      '{"seq":0,"kind":"End","revision":1,"checksum":4294967296}',
      /^checksum must/,
    ],
    ["with __proto__", '{"seq":0,"kind":"NotSynced","__proto__":{}}', /^__proto__ is a field that/],
    ["with an unknown verb", workOf({ verb: "hunter2" }), /^rows\[0\]\.row\.verb is missing, or is a word/],
    [
      "with null for an absent field",
      workOf({ hubVersion: null }),
      "rows[0].row.hubVersion must be a string, and is null",
    ],
    ["with an unknown field in a row", workOf({ colour: "hunter2" }), /^rows\[0\]\.row\.colour is a field that/],
    ["with a field of another verb", workOf({ wanted: true }), /^rows\[0\]\.row\.wanted is a field that/],
    ["with an unknown role", workOf({ role: "hunter2" }), "rows[0].row.role must be one of rendered, dependency"],
    [
      "with an object that has no name",
      workOf({ object: { ...ROW.object, metadata: {} } }),
      /^rows\[0\]\.row\.object\.metadata\.name is missing/,
    ],
    ["with an object that is a text", workOf({ object: "hunter2" }), /^rows\[0\]\.row\.object must be a map/],
    [
      "with fields that are no maps",
      workOf({ unwritten: { "f:data": "hunter2" } }),
      "rows[0].row.unwritten must be a map of maps",
    ],
    [
      "with a hub's field without a value",
      workOf({ hubOwned: [{ elements: [] }] }),
      /^rows\[0\]\.row\.hubOwned\[0\]\.value is missing/,
    ],
    [
      "with labels that are no texts",
      workOf({ namespaceLabels: { a: 1 } }),
      /^rows\[0\]\.row\.namespaceLabels\.a must be a string/,
    ],
    [
      "with labels that have the key __proto__",
      workOf({ namespaceLabels: "LABELS" }).replace('"LABELS"', '{"__proto__":"a"}'),
      /^rows\[0\]\.row\.namespaceLabels must be a map without/,
    ],
    [
      "with an error in another owner's row",
      workOf({ alternatives: [{ ...ROW, hash: 1 }] }),
      /^rows\[0\]\.row\.alternatives\[0\]\.hash must be a string/,
    ],
    [
      "with an incomplete message to people",
      workOf({ why: { reason: "R", message: { lead: "hunter2" } } }, HELD),
      /^rows\[0\]\.row\.why\.message\.what is missing/,
    ],
    [
      "with an unknown part of a message",
      workOf({ why: { reason: "R", message: { what: "w", colour: 1 } } }, HELD),
      /^rows\[0\]\.row\.why\.message\.colour is/,
    ],
    [
      "with a message that is a number",
      workOf({ why: { reason: "R", message: 1 } }, HELD),
      /^rows\[0\]\.row\.why\.message must be a string or a map/,
    ],
    ["with a key that is no name", workOf({ "password: hunter2\n": 1 }), /^rows\[0\]\.row\.\? is a field that/],
  ])("%s", (_name, text, want) => {
    const error = errorOf(decodeWork(text));
    if (typeof want === "string") expect(error).toBe(want);
    else expect(error).toMatch(want);
    expect(error).not.toContain("hunter2");
  });

  test("of a hold that is complete, is not", () => {
    expect(errorOf(decodeWork(workOf({}, HELD)))).toBeUndefined();
  });
});

describe("a report is refused", () => {
  const contact = { ok: true, synced: true, pending: false };
  const seen = { cluster: "c", ref: REF, writing: false, revision: 1 };
  const present = { uid: "u", proven: true, deleting: false, health: { state: "Available" } };
  const group = { labels: {}, taints: [], nodes: [{ name: "n", host: "n", free: { cpu: 1 } }] };
  const reading = (change: object) => ({ capacity: { reading: { room: { groups: [{ ...group, ...change }] } } } });

  test.each([
    ["with a part that is none", { weather: "hunter2" }, /^weather is a field/],
    ["with half a contact", { contact: { ok: true } }, /^contact\.synced is missing/],
    [
      "with an infinite time, which JSON has as null",
      { contact: { ...contact, lastContact: null } },
      /^contact\.lastContact must be a number/,
    ],
    [
      "with a health that is no state",
      { observations: [{ ...seen, present: { ...present, health: { state: "hunter2" } } }] },
      /^observations\[0\]\.present\.health\.state must be one of/,
    ],
    [
      "with a status that is a list",
      { observations: [{ ...seen, present: { ...present, status: [] } }] },
      /^observations\[0\]\.present\.status must be a map/,
    ],
    ["with false for a mark", { observations: [{ ...seen, absent: false }] }, "observations[0].absent must be true"],
    [
      "with room that is no list",
      { capacity: { reading: { room: { groups: {} } } } },
      /^capacity\.reading\.room\.groups must be a list/,
    ],
    [
      "with an unknown field of a reading",
      { capacity: { reading: { reason: "R", message: "m", colour: 1 } } },
      /^capacity\.reading\.colour is a field/,
    ],
    ["with a reading that is a text", { capacity: "Later" }, /^capacity must be/],
    [
      "with an amount that is a text",
      reading({ nodes: [{ name: "n", host: "n", free: { cpu: "1" } }] }),
      /^capacity\.reading\.room\.groups\[0\]\.nodes\[0\]\.free\.cpu must be/,
    ],
  ])("%s", (_name, parts, want) => {
    const error = errorOf(decodeReport(JSON.stringify({ seq: 0, ...parts })));
    if (typeof want === "string") expect(error).toBe(want);
    else expect(error).toMatch(want);
    expect(error).not.toContain("hunter2");
  });

  test("of all parts, is not", () => {
    const whole: Report = { seq: 0, contact, observations: [], complete: { revision: 1 }, capacity: "Stopped" };
    expect(errorOf(decodeReport(encode(whole)))).toBeUndefined();
    expect(errorOf(decodeReport(JSON.stringify({ seq: 0, ...reading({}) })))).toBeUndefined();
  });
});

describe("a message is refused before anything is parsed", () => {
  test.each([
    ["that is too long", { characters: 30 }, " ".repeat(31), "the message has more than 30 characters"],
    ["that is nested too deep", { levels: 3 }, '[{"a":[[', "the message is nested deeper than 3 levels"],
    ["that has too many values", { values: 5 }, "[1,2,3,4,5,", "the message has more than 5 values"],
    [
      "that is nested too deep, within the default bounds",
      {},
      "[".repeat(129),
      "the message is nested deeper than 128 levels",
    ],
  ])("%s", (_name, bounds, text, want) => {
    expect(errorOf(decodeWork(text, { ...MESSAGE_BOUNDS, ...bounds }))).toBe(want);
  });

  test("but not for brackets and commas within a text, or for lists beside each other", () => {
    const bounds = { characters: 1_000, levels: 2, values: 8 };
    const sent: WorkMessage = { seq: 0, kind: "Expected", owners: ['[[[,,,,,,,,\\"[[[', "\\", "]", "{"] };
    expect(decodeWork(encode(sent), bounds)).toEqual({ value: sent });
    const kinds: WorkMessage = { seq: 0, kind: "Kinds", kinds: [], others: [] };
    expect(decodeWork(encode(kinds), bounds)).toEqual({ value: kinds });
  });

  test.prop([fc.string(), fc.nat(200)])("whatever the text is, nothing is thrown", (text, levels) => {
    for (const given of [text, "[".repeat(levels) + text, JSON.stringify(text)])
      expect(errorOf(decodeReport(given))).toBeTypeOf("string");
  });
});
