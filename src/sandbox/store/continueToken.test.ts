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
