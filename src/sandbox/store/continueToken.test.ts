import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeContinueToken, encodeContinueToken } from "./index.ts";

test("a token says what it was made of", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.stringMatching(/^[a-z0-9/.-]+$/), (revision, after) => {
      expect(decodeContinueToken(encodeContinueToken({ revision, after }))).toEqual({ revision, after });
    }),
  );
});

test.each(["", "abc", "e30", Buffer.from('{"rv":"1","start":"a"}').toString("base64url")])("%j is no token", (text) => {
  expect(decodeContinueToken(text)).toBeUndefined();
});
