import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { CA, OTHER_CA } from "../testing/certificates.ts";
import { loadHubConfig } from "./hubConfig.ts";
import { kubeconfigFor } from "./kubeconfigWriter.ts";

function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), "hub-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const simple = (name: string): string =>
  kubeconfigFor({ cluster: name, server: `https://${name}.example`, token: `token-of-${name}` });
const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

describe("the hub is", () => {
  test("the kubeconfig of the flag, before that of KUBECONFIG and the pod's", () => {
    const path = folder({ a: simple("a"), b: simple("b") });
    const env = { KUBECONFIG: join(path, "b"), ...pod };
    expect(loadHubConfig({ kubeconfig: join(path, "a"), env }).server).toBe("https://a.example");
    expect(loadHubConfig({ env }).server).toBe("https://b.example");
  });

  test("the cluster around the pod, with the token that the kubelet renews", async () => {
    const serviceAccountFolder = folder({ token: "pod-token", "ca.crt": CA, namespace: "meridian-system\n" });
    const config = loadHubConfig({ env: pod, serviceAccountFolder });
    expect(config).toMatchObject({ server: "https://10.0.0.1:443", caData: CA, currentNamespace: "meridian-system" });
    await expect(config.credentials.authorization()).resolves.toBe("Bearer pod-token");
    expect(loadHubConfig({ env: { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1" }, serviceAccountFolder }).server).toBe(
      "https://[fd00::1]:443",
    );
  });

  test("several files in KUBECONFIG as one: the first to name something wins, paths count from their own file", async () => {
    const one = folder({
      config: stringify({
        clusters: [{ name: "a", cluster: { server: "https://one.example", "certificate-authority": "ca.crt" } }],
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        users: [],
      }),
      "ca.crt": CA,
    });
    const two = folder({
      config: stringify({
        clusters: [{ name: "a", cluster: { server: "https://two.example", "certificate-authority": "ca.crt" } }],
        users: [{ name: "a", user: { tokenFile: "token" } }],
        contexts: [],
        "current-context": "a",
      }),
      "ca.crt": OTHER_CA,
      token: "from-two",
    });
    const config = loadHubConfig({ env: { KUBECONFIG: [join(one, "config"), join(two, "config")].join(delimiter) } });
    expect(config).toMatchObject({ server: "https://one.example", caData: CA });
    await expect(config.credentials.authorization()).resolves.toBe("Bearer from-two");
  });
});

describe("without a hub", () => {
  test("the error says what to give", () => {
    expect(() => loadHubConfig({ env: {} })).toThrow("give --kubeconfig FILE, set KUBECONFIG, or run in a pod");
  });

  test("a context alone is not enough", () => {
    expect(() => loadHubConfig({ env: pod, context: "x" })).toThrow("context x was named, but no kubeconfig");
  });

  test("a file that is missing is named", () => {
    expect(() => loadHubConfig({ env: {}, kubeconfig: "/does/not/exist" })).toThrow(
      "the kubeconfig /does/not/exist cannot be read (ENOENT)",
    );
  });

  test("a pod without a token says so", () => {
    expect(() => loadHubConfig({ env: pod, serviceAccountFolder: folder({}) })).toThrow(
      "does the pod mount its service account token?",
    );
  });
});
