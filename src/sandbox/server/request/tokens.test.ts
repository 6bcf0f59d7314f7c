import { describe, expect, test } from "vitest";
import { ISSUER, ServiceAccountTokens } from "./tokens.ts";

const claims = {
  namespace: "default",
  name: "robot",
  uid: "u1",
  audiences: [ISSUER],
  issuedAt: 1000,
  expiresAt: 4600,
  id: "i1",
};

describe("tokens of ServiceAccounts", () => {
  const tokens = new ServiceAccountTokens();

  test("count for the cluster that issued them, also after a restart, and for no other", () => {
    const token = tokens.issue(claims);
    expect(new ServiceAccountTokens(tokens.keyPem).read(token)).toEqual(claims);
    expect(new ServiceAccountTokens().read(token)).toBeUndefined();
  });

  test("say the same each time they are read, however many others come between", () => {
    const issued = Array.from({ length: 200 }, (_, index) => ({ ...claims, id: `i${index}` }));
    const texts = issued.map((each) => tokens.issue(each));
    for (let round = 0; round < 2; round++) expect(texts.map((text) => tokens.read(text))).toEqual(issued);
  });

  test("do not survive a change of what they say", () => {
    const [header = "", , signature = ""] = tokens.issue(claims).split(".");
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: "system:admin" })).toString("base64url");
    expect(tokens.read(`${header}.${payload}.${signature}`)).toBeUndefined();
  });
});
