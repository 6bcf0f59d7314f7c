import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { tokenClaims } from "./jwt.ts";
import { fakeToken } from "../testing/fakeMember.ts";

const token = (body: string): string => `h.${Buffer.from(body).toString("base64url")}.s`;
const claiming = (claims: unknown): string => token(JSON.stringify(claims));

describe("what a bearer token claims", () => {
  test.each<{ name: string; claims: unknown; want: object | undefined }>([
    {
      name: "its times, and whose it is",
      claims: { iat: 10, exp: 20, sub: "system:serviceaccount:a:b", aud: ["api"] },
      want: { issuedAt: 10_000, expiresAt: 20_000, subject: "system:serviceaccount:a:b" },
    },
    { name: "when it was issued alone", claims: { iat: 10 }, want: { issuedAt: 10_000 } },
    { name: "when it expires alone", claims: { exp: 20 }, want: { expiresAt: 20_000 } },
    { name: "whose it is alone", claims: { sub: "me" }, want: { subject: "me" } },
    { name: "the beginning of time", claims: { iat: 0 }, want: { issuedAt: 0 } },
    { name: "nothing", claims: {}, want: {} },
    { name: "nothing, in a list", claims: [], want: {} },
    { name: "nothing of the type that it should have", claims: { iat: "10", exp: null, sub: 1 }, want: {} },
    { name: "a text", claims: "text", want: undefined },
    { name: "a number", claims: 5, want: undefined },
    { name: "null", claims: null, want: undefined },
  ])("is read: $name", ({ claims, want }) => {
    expect(tokenClaims(claiming(claims))).toStrictEqual(want);
  });

  test("is read in UTF-8 and in the alphabet of addresses", () => {
    const sub = "schön ~~~ ??? 上海";
    expect(claiming({ sub })).toMatch(/[-_]/);
    expect(tokenClaims(claiming({ sub }))).toEqual({ subject: sub });
  });

  test("is what the fake of a member puts there", () => {
    expect(tokenClaims(fakeToken("me", 1000, 2000))).toEqual({ subject: "me", issuedAt: 1000, expiresAt: 2000 });
  });

  const body = Buffer.from("{}").toString("base64url");
  test.each(["", "opaque", "a.b", `a.${body}`, "a.b.c", "a.!!.c", `a.${body}.c.d`, token("{"), token("")])(
    "is unknown of %j",
    (text) => {
      expect(tokenClaims(text)).toBeUndefined();
    },
  );

  test.prop([fc.string()])("is unknown of any text without dots", (text) => {
    expect(tokenClaims(text.replaceAll(".", ""))).toBeUndefined();
  });
});
