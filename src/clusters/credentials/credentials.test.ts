import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { type ClusterConfig, kubeconfigFor } from "../../runtime/index.ts";
import {
  isTokenRenewal,
  type KubeconfigCredentials,
  type MemberSecret,
  readCredentials,
  ReplaceableCredentials,
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

function read(kubeconfig: string): KubeconfigCredentials {
  const credentials = readCredentials(
    "a",
    { kubeconfigSecretRef: { name: "a", key: "kubeconfig" } },
    secretWith(kubeconfig),
    false,
  );
  if (credentials.kind !== "Kubeconfig") throw new Error(JSON.stringify(credentials));
  return credentials;
}

const withTokenOf = (subject: string, life: number, server = SERVER): string =>
  kubeconfigFor({ cluster: "a", server, token: fakeToken(subject, 0, life) });

describe("the credentials of a member", () => {
  test.each<{
    name: string;
    secret: MemberSecret | undefined;
    connection: Parameters<typeof readCredentials>[1];
    reason: string;
  }>([
    {
      name: "no Secret",
      secret: undefined,
      connection: { kubeconfigSecretRef: { name: "a", key: "k" } },
      reason: "SecretNotFound",
    },
    {
      name: "a Secret without the key",
      secret: secretWith("x"),
      connection: { kubeconfigSecretRef: { name: "a", key: "k" } },
      reason: "InvalidKubeconfig",
    },
    { name: "a pull cluster", secret: undefined, connection: { pull: {} }, reason: "PullNotSupported" },
    { name: "no connection at all", secret: undefined, connection: {}, reason: "InvalidConnection" },
  ])("cannot be used: $name", ({ secret, connection, reason }) => {
    expect(readCredentials("a", connection, secret, false)).toMatchObject({ kind: "Unusable", reason });
  });

  test("are never in the message that says what is wrong with them", () => {
    const broken = kubeconfigFor({ cluster: "a", server: SERVER, token: "top secret token" });
    const unusable = readCredentials(
      "a",
      { kubeconfigSecretRef: { name: "a", key: "kubeconfig" } },
      secretWith(broken),
      false,
    );
    expect(unusable).toMatchObject({ kind: "Unusable", reason: "InvalidKubeconfig" });
    expect(JSON.stringify(unusable)).not.toContain("top secret");
  });

  test("are renewed when only the token of the same subject is another one, however it is written", () => {
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
  ])("are new ones with $name", ({ after }) => {
    expect(isTokenRenewal(read(withTokenOf("me", 1000)), read(after))).toBe(false);
  });

  test("keep everything but the token when it is replaced", () => {
    const text = `# ours\n${withTokenOf("me", 1000)}`;
    const renewed = withToken(text, "fresh");
    expect(renewed).toContain("# ours");
    expect(read(renewed).token).toBe("fresh");
    expect(read(renewed).fingerprint).toBe(read(text).fingerprint);
  });

  test("without a token have none to replace", () => {
    expect(() => withToken(withTokenOf("me", 1000).replace(/token: .*/, "username: me"), "fresh")).toThrow(
      "has no token",
    );
  });

  test("can be exchanged under a client that uses them", async () => {
    const config = (token: string): ClusterConfig["credentials"] => ({ authorization: async () => token });
    const credentials = new ReplaceableCredentials(config("old"));
    expect(await credentials.authorization()).toBe("old");
    credentials.replace(config("new"));
    expect(await credentials.authorization()).toBe("new");
    expect(await credentials.clientCertificate()).toBeUndefined();
    expect(credentials.invalidate("old")).toBe(false);
  });
});
