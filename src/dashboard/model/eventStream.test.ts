import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { EventStreamReader } from "./eventStream.ts";

describe("EventStreamReader", () => {
  const cases: { name: string; text: string; want: object[] }[] = [
    {
      name: "an event with id and type",
      text: "id: 7\nevent: ADDED\ndata: {}\n\n",
      want: [{ id: "7", event: "ADDED", data: "{}" }],
    },
    { name: "a heartbeat is no event", text: ": heartbeat\n\n", want: [] },
    {
      name: "the id stays for later events",
      text: "id: 7\ndata: a\n\ndata: b\n\n",
      want: [
        { id: "7", event: "message", data: "a" },
        { id: "7", event: "message", data: "b" },
      ],
    },
    {
      name: "the type does not stay",
      text: "event: ADDED\ndata: a\n\ndata: b\n\n",
      want: [
        { event: "ADDED", data: "a" },
        { event: "message", data: "b" },
      ],
    },
    { name: "lines of data are joined", text: "data: a\ndata: b\n\n", want: [{ event: "message", data: "a\nb" }] },
    { name: "carriage returns end lines too", text: "data: a\r\n\r\n", want: [{ event: "message", data: "a" }] },
    { name: "an event without its end is kept back", text: "data: a\n", want: [] },
    { name: "a colon in the data belongs to it", text: "data:a: b\n\n", want: [{ event: "message", data: "a: b" }] },
  ];
  test.each(cases)("$name", ({ text, want }) => expect(new EventStreamReader().push(text)).toEqual(want));

  property.prop([fc.array(fc.record({ id: fc.nat(99), data: fc.json() })), fc.array(fc.nat(40))])(
    "gives the same events wherever the text is cut",
    (events, cuts) => {
      const text = events.map(({ id, data }) => `id: ${id}\nevent: ADDED\ndata: ${data}\n\n: heartbeat\n\n`).join("");
      const reader = new EventStreamReader();
      let rest = text;
      const got = cuts.flatMap((cut) => {
        const piece = rest.slice(0, cut);
        rest = rest.slice(cut);
        return reader.push(piece);
      });
      const want = events.map(({ id, data }) => ({ id: String(id), event: "ADDED", data }));
      expect([...got, ...reader.push(rest)]).toEqual(want);
    },
  );

  test("refuses an event that does not end", () => {
    const reader = new EventStreamReader();
    expect(() => reader.push(`data: ${"x".repeat(4_000_001)}`)).toThrow("too long");
  });
});
