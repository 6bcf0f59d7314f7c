import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { FrameReader, frameOf, OPCODE } from "./webSocketFrames.ts";

const bytes = (from: Uint8Array): Buffer => Buffer.from(from);

/** As a server writes a message: without a mask. */
function unmasked(payload: Buffer): Buffer {
  const { length } = payload;
  const head =
    length < 126 ? Buffer.from([0x82, length]) : Buffer.from([0x82, 126, Math.floor(length / 256), length % 256]);
  return Buffer.concat([head, payload]);
}

describe("frames", () => {
  test.prop([fc.array(fc.uint8Array({ maxLength: 300 })), fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 })])(
    "are read as they were written, wherever the bytes are cut",
    (payloads, cuts) => {
      const all = Buffer.concat(payloads.map((payload) => unmasked(bytes(payload))));
      const reader = new FrameReader();
      const read: Buffer[] = [];
      for (let start = 0, turn = 0; start < all.length; turn += 1) {
        const end = start + (cuts[turn % cuts.length] ?? 1);
        for (const { payload, isFinal, opcode } of reader.take(all.subarray(start, end))) {
          expect({ isFinal, opcode }).toEqual({ isFinal: true, opcode: OPCODE.binary });
          read.push(Buffer.from(payload));
        }
        start = end;
      }
      expect(read).toEqual(payloads.map(bytes));
    },
  );

  test.each([
    { length: 0, head: [0x82, 0x80] },
    { length: 125, head: [0x82, 0x80 | 125] },
    { length: 126, head: [0x82, 0x80 | 126, 0, 126] },
    { length: 65_535, head: [0x82, 0x80 | 126, 0xff, 0xff] },
    { length: 65_536, head: [0x82, 0x80 | 127, 0, 0, 0, 0, 0, 1, 0, 0] },
  ])("of a client with $length bytes have their length and a mask", ({ length, head }) => {
    const mask = Buffer.from([1, 2, 3, 4]);
    const frame = frameOf(OPCODE.binary, Buffer.alloc(length, 7), mask);
    expect([...frame.subarray(0, head.length)]).toEqual(head);
    const masked = frame.subarray(head.length + 4);
    expect(masked).toEqual(Buffer.from(Array.from({ length }, (_, index) => 7 ^ (mask[index % 4] ?? 0))));
  });

  test.each([
    { name: "masked by a server", frame: [0x82, 0x81, 0, 0, 0, 0, 1], says: "must not mask" },
    { name: "of a gigabyte", frame: [0x82, 127, 0, 0, 0, 0, 0x40, 0, 0, 0], says: "a frame has 1073741824 bytes" },
  ])("$name are refused", ({ frame, says }) => {
    expect(() => new FrameReader().take(Buffer.from(frame))).toThrow(says);
  });
});
