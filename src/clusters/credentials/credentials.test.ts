import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import type { MemberSecret } from "../../ports/index.ts";
import { kubeconfigFor } from "../../runtime/index.ts";
import {
  isTokenRenewal,
  type KubeconfigCredentials,
  readCredentials,
  sameCredentials,
  withToken,
} from "./credentials.ts";
import { fakeToken } from "../testing/fakeMember.ts";

const SERVER = "https://member.test:6443";

function secretWith(kubeconfig: string, key = "kubeconfig"): MemberSecret {
  return {
    name: "a",
    resourceVersion: "1",
    annotations: {},
    data: { [key]: Buffer.from(kubeconfig).toString("base64") },
  };
}

const REFERENCE = { kubeconfigSecretRef: { name: "a", key: "kubeconfig" } };

function read(kubeconfig: string): KubeconfigCredentials {
  const credentials = readCredentials("a", REFERENCE, secretWith(kubeconfig), false);
  if (credentials.kind !== "Kubeconfig") throw new Error(JSON.stringify(credentials));
  return credentials;
}

const withTokenOf = (subject: string, life: number, server = SERVER): string =>
  kubeconfigFor({ cluster: "a", server, token: fakeToken(subject, 0, life) });

describe("the credentials of a member", () => {
  test.each<[string, MemberSecret | undefined, Parameters<typeof readCredentials>[1]]>([
    ["SecretNotFound", undefined, REFERENCE],
    ["InvalidKubeconfig", secretWith("x", "other"), REFERENCE],
    ["PullNotSupported", undefined, { pull: {} }],
    ["InvalidConnection", undefined, {}],
  ])("are unusable as %s", (reason, secret, connection) => {
    expect(readCredentials("a", connection, secret, false)).toMatchObject({ kind: "Unusable", reason });
  });

  test("are not in the message about them", () => {
    const broken = kubeconfigFor({ cluster: "a", server: SERVER, token: "top secret token" });
    const unusable = readCredentials("a", REFERENCE, secretWith(broken), false);
    expect(unusable).toMatchObject({ kind: "Unusable", reason: "InvalidKubeconfig" });
    expect(JSON.stringify(unusable)).not.toContain("top secret");
  });

  test("are renewed when only the token of the same subject changes, in any format", () => {
    const before = read(withTokenOf("me", 1000));
    const json = JSON.stringify(parseYaml(withTokenOf("me", 2000)));
    expect(isTokenRenewal(before, read(withTokenOf("me", 2000)))).toBe(true);
    expect(isTokenRenewal(before, read(json))).toBe(true);
    expect(sameCredentials(before, read(withTokenOf("me", 2000)))).toBe(false);
    expect(sameCredentials(before, read(withTokenOf("me", 1000)))).toBe(true);
  });

  test.each([
    { name: "another subject", after: withTokenOf("you", 2000) },
    { name: "another address", after: withTokenOf("me", 2000, "https://elsewhere.test") },
    { name: "an opaque token", after: kubeconfigFor({ cluster: "a", server: SERVER, token: "opaque" }) },
  ])("are no renewal with $name", ({ after }) => {
    expect(isTokenRenewal(read(withTokenOf("me", 1000)), read(after))).toBe(false);
  });

  test("keep the rest of the kubeconfig with a new token", () => {
    const text = `# ours\n${withTokenOf("me", 1000)}`;
    const renewed = withToken(text, "fresh");
    expect(renewed).toContain("# ours");
    expect(read(renewed).token).toBe("fresh");
    expect(read(renewed).fingerprint).toBe(read(text).fingerprint);
  });

  test("without a token cannot be given a new one", () => {
    expect(() => withToken(withTokenOf("me", 1000).replace(/token: .*/, "username: me"), "fresh")).toThrow(
      "has no token",
    );
  });
});
