import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { REDACTED, redact, redactText } from "./redaction.ts";

const JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl";
const KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----";

describe("redactText", () => {
  test.each([
    { name: "a bearer token", text: "header Authorization: Bearer abc.def-1 refused", secret: "abc.def-1" },
    { name: "a JWT on its own", text: `got ${JWT} back`, secret: JWT },
    { name: "a private key", text: `key ${KEY}!`, secret: "MIIEow" },
    { name: "a private key that was cut off", text: `key ${KEY.slice(0, 38)}`, secret: "MIIEow" },
    { name: "a private key as JSON holds it", text: JSON.stringify({ key: KEY }), secret: "MIIEow" },
    { name: "a line of a kubeconfig", text: "user:\n  token: 0123456789abcdef\n", secret: "0123456789abcdef" },
  ])("takes out $name", ({ text, secret }) => {
    expect(redactText(text)).not.toContain(secret);
    expect(redactText(text)).toContain(REDACTED);
  });

  test("leaves JSON readable", () => {
    expect(JSON.parse(redactText(JSON.stringify({ a: KEY.slice(0, 36), b: `Bearer ${JWT}`, c: 1 })))).toMatchObject({
      c: 1,
    });
  });

  test.prop([fc.stringMatching(/^[a-z ]{0,80}$/)])("leaves plain words alone", (text) => {
    fc.pre(!/bearer\s/.test(text));
    expect(redactText(text)).toBe(text);
  });
});

describe("redact", () => {
  test("replaces what stands under a secret's key, at any depth", () => {
    const object = {
      kind: "Secret",
      metadata: { name: "shop" },
      data: { password: "aHVudGVy" },
      list: [{ stringData: { a: "hunter" } }],
    };
    expect(redact(object)).toEqual({
      kind: "Secret",
      metadata: { name: "shop" },
      data: REDACTED,
      list: [{ stringData: REDACTED }],
    });
  });

  test("gives the value itself when there is nothing to hide", () => {
    const value = { a: [1, { b: "text" }], c: null };
    expect(redact(value)).toBe(value);
  });

  test("ends at a cycle", () => {
    const loop: Record<string, unknown> = { token: "x" };
    loop["self"] = loop;
    expect(JSON.stringify(redact(loop))).not.toContain('"x"');
  });
});
