import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { tokenClaims } from "./jwt.ts";

const token = (body: string): string => `h.${Buffer.from(body).toString("base64url")}.s`;
const claiming = (claims: unknown): string => token(JSON.stringify(claims));

describe("the claims of a bearer token", () => {
  const subject = "system:serviceaccount:a:b";
  test.each<[claims: unknown, want: object | undefined]>([
    [
      { iat: 10, exp: 20, sub: subject, aud: ["api"] },
      { issuedAt: 10_000, expiresAt: 20_000, subject },
    ],
    [{ iat: 0 }, { issuedAt: 0 }],
    [{ exp: 20 }, { expiresAt: 20_000 }],
    [{ sub: "me" }, { subject: "me" }],
    [{}, {}],
    [[], {}],
    [{ iat: "10", exp: null, sub: 1 }, {}],
    ["text", undefined],
    [5, undefined],
    [null, undefined],
  ])("are read from %j", (claims, want) => expect(tokenClaims(claiming(claims))).toStrictEqual(want));

  test("are base64url in UTF-8", () => {
    const sub = "schön ~~~ ??? 上海";
    expect(claiming({ sub })).toMatch(/[-_]/);
    expect(tokenClaims(claiming({ sub }))).toEqual({ subject: sub });
  });

  const body = Buffer.from("{}").toString("base64url");
  test.each(["", "opaque", "a.b", `a.${body}`, "a.b.c", "a.!!.c", `a.${body}.c.d`, token("{"), token("")])(
    "are unknown for %j",
    (text) => {
      expect(tokenClaims(text)).toBeUndefined();
    },
  );

  test.prop([fc.string()])("are unknown for any text without dots", (text) => {
    expect(tokenClaims(text.replaceAll(".", ""))).toBeUndefined();
  });
});
