import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

describe("as with kubectl", () => {
  const home = (config?: string): string => {
    const path = folder({});
    mkdirSync(join(path, ".kube"));
    if (config !== undefined) writeFileSync(join(path, ".kube", "config"), config);
    return path;
  };
  const serviceAccountFolder = (): string => folder({ token: "pod-token", "ca.crt": CA, namespace: "n" });

  test("~/.kube/config counts when nothing else is named, before the cluster around the pod", () => {
    const HOME = home(simple("at-home"));
    expect(loadHubConfig({ env: { HOME } })).toMatchObject({
      server: "https://at-home.example",
      origin: `kubeconfig ${HOME}/.kube/config`,
    });
    expect(loadHubConfig({ env: { HOME, ...pod } }).server).toBe("https://at-home.example");
    const named = join(folder({ a: simple("a") }), "a");
    expect(loadHubConfig({ env: { HOME, KUBECONFIG: named } }).server).toBe("https://a.example");
    expect(loadHubConfig({ env: { HOME }, kubeconfig: named }).server).toBe("https://a.example");
  });

  test.each([
    { what: "is missing", config: undefined },
    { what: "is empty", config: "\n" },
  ])("a ~/.kube/config that $what is passed over", ({ config }) => {
    const env = { HOME: home(config), ...pod };
    expect(loadHubConfig({ env, serviceAccountFolder: serviceAccountFolder() }).server).toBe("https://10.0.0.1:443");
  });

  test("files of KUBECONFIG that are missing or empty are passed over", () => {
    const path = folder({ empty: "", b: simple("b"), c: simple("c") });
    const KUBECONFIG = ["/does/not/exist", "empty", "b", "c"].map((name) => join(path, name)).join(delimiter);
    expect(loadHubConfig({ env: { KUBECONFIG } }).server).toBe("https://b.example");
  });

  test("one file of KUBECONFIG may hold contexts and no clusters", () => {
    const path = folder({
      contexts: stringify({
        contexts: [{ name: "mine", context: { cluster: "b", user: "b" } }],
        "current-context": "mine",
      }),
      b: simple("b"),
    });
    const KUBECONFIG = [join(path, "contexts"), join(path, "b")].join(delimiter);
    expect(loadHubConfig({ env: { KUBECONFIG } })).toMatchObject({ server: "https://b.example", context: "mine" });
  });
});

describe("without a hub", () => {
  test("the error says where was looked, and what to give", () => {
    expect(() => loadHubConfig({ env: { HOME: "/nobody" } })).toThrow(
      "no cluster to talk to: KUBECONFIG is not set, /nobody/.kube/config does not exist or is empty, and this is no pod of a cluster; give --kubeconfig FILE",
    );
    expect(() => loadHubConfig({ env: {} })).toThrow("HOME is not set either");
  });

  test("a context alone is not enough", () => {
    expect(() => loadHubConfig({ env: pod, context: "x" })).toThrow(
      "--context x was given, but there is no kubeconfig",
    );
  });

  test("a broken file among several is named, with the line", () => {
    const path = folder({ a: simple("a"), b: "clusters:\n\t- name: b\n" });
    const KUBECONFIG = [join(path, "a"), join(path, "b")].join(delimiter);
    expect(() => loadHubConfig({ env: { KUBECONFIG } })).toThrow(
      `kubeconfig ${join(path, "b")} of the hub: the kubeconfig is no YAML at line 2, column 1: a tab indents it, not spaces; correct it, or give --kubeconfig FILE`,
    );
  });

  test("a pod without a token says so", () => {
    expect(() => loadHubConfig({ env: pod, serviceAccountFolder: folder({}) })).toThrow(
      "does the pod mount its service account token?",
    );
  });
});
