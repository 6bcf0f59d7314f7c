import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { TransportError } from "../core/errors.ts";
import { LineSplitter } from "./lineSplitter.ts";

/** Lines of any characters, in several bytes each too, without the newline itself. */
const line = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).map((text) => text.replaceAll("\n", " "));

function chunksOf(bytes: Buffer, cuts: number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

describe("LineSplitter", () => {
  test.prop([fc.array(line, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 60 })])(
    "gives the same lines however the stream is chopped up, characters of several bytes included",
    (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const splitter = new LineSplitter();
      const got = chunksOf(bytes, cuts).flatMap((chunk) => splitter.push(chunk));
      expect(got).toEqual(
        Buffer.from(lines.join("\n"))
          .toString()
          .split("\n")
          .filter((text) => text !== ""),
      );
      expect(splitter.partial).toBe(false);
    },
  );

  test("keeps a line that is not complete until its end comes", () => {
    const splitter = new LineSplitter();
    expect(splitter.push(Buffer.from("a\nb"))).toEqual(["a"]);
    expect(splitter.partial).toBe(true);
    expect(splitter.push(Buffer.from("c\n\n"))).toEqual(["bc"]);
    expect(splitter.partial).toBe(false);
  });

  test("refuses a line without end instead of filling the memory", () => {
    const splitter = new LineSplitter(10);
    splitter.push(Buffer.from("12345678"));
    expect(() => splitter.push(Buffer.from("9012"))).toThrow(TransportError);
  });

  test("joins a large line from small pieces without copying it again and again", () => {
    const splitter = new LineSplitter();
    const piece = Buffer.alloc(1024, "x");
    for (let count = 0; count < 15_000; count++) expect(splitter.push(piece)).toEqual([]);
    const [joined] = splitter.push(Buffer.from("\n"));
    expect(joined?.length).toBe(15_000 * 1024);
  });
});
