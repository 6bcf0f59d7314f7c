import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { CredentialsError } from "../core/errors.ts";
import { CA, CLIENT } from "../testing/certificates.ts";
import { clusterConfigFromKubeconfig, type KubeconfigOptions, serverOfKubeconfig } from "./kubeconfig.ts";
import { kubeconfigFor } from "./kubeconfigWriter.ts";
import { fc, test } from "@fast-check/vitest";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function kubeconfig(cluster: Record<string, unknown> = {}, user: Record<string, unknown> = { token: "t-1" }): string {
  return stringify({
    clusters: [{ name: "c", cluster: { server: "https://api.example:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "shop" } }],
    "current-context": "x",
  });
}

function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const read = (text: string, options: Partial<KubeconfigOptions> = {}) =>
  clusterConfigFromKubeconfig(text, { cluster: "shanghai-1", ...options });

function refusal(text: string, options: Partial<KubeconfigOptions> = {}): CredentialsError {
  try {
    read(text, options);
  } catch (error) {
    if (error instanceof CredentialsError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("a kubeconfig that is complete in itself", () => {
  test("gives server, CA, namespace and token", async () => {
    const config = read(kubeconfig({ "certificate-authority-data": base64(CA), "tls-server-name": "api" }));
    expect(config).toMatchObject({
      server: "https://api.example:6443",
      caData: CA,
      tlsServerName: "api",
      currentNamespace: "shop",
    });
    await expect(config.credentials.authorization()).resolves.toBe("Bearer t-1");
  });

  test("gives a client certificate", async () => {
    const config = read(
      kubeconfig({}, { "client-certificate-data": base64(CLIENT.cert), "client-key-data": base64(CLIENT.key) }),
    );
    await expect(config.credentials.authorization()).resolves.toBeUndefined();
    await expect(config.credentials.clientCertificate?.()).resolves.toEqual(CLIENT);
  });

  test("gives user name and password", async () => {
    const config = read(kubeconfig({}, { username: "anna", password: "pw" }));
    await expect(config.credentials.authorization()).resolves.toBe(`Basic ${base64("anna:pw")}`);
  });

  test("the context that was asked for wins over the current one", () => {
    const text = stringify({
      clusters: [
        { name: "a", cluster: { server: "https://a.example" } },
        { name: "b", cluster: { server: "https://b.example/" } },
      ],
      contexts: [
        { name: "a", context: { cluster: "a" } },
        { name: "b", context: { cluster: "b" } },
      ],
      "current-context": "a",
    });
    expect(read(text).server).toBe("https://a.example");
    expect(read(text, { context: "b" }).server).toBe("https://b.example");
    expect(read(text).currentNamespace).toBe("default");
  });

  test("what kubeconfigFor writes is read back", async () => {
    const config = read(
      kubeconfigFor({ cluster: "m", server: "https://[::1]:6443/k8s", caData: CA, token: "t-2", namespace: "shop" }),
    );
    expect(config).toMatchObject({ server: "https://[::1]:6443/k8s", caData: CA, currentNamespace: "shop" });
    await expect(config.credentials.authorization()).resolves.toBe("Bearer t-2");
  });

  test("other contexts may be broken", () => {
    const text = stringify({
      clusters: [{ name: "bad" }, { name: "c", cluster: { server: "https://c.example" } }],
      contexts: [{ name: "bad" }, { name: "x", context: { cluster: "c" } }],
      "current-context": "x",
    });
    expect(read(text).server).toBe("https://c.example");
  });
});

const CERTIFICATE = base64(CLIENT.cert);
const KEY = base64(CLIENT.key);

describe("a kubeconfig from a Secret", () => {
  test.each<[what: string, cluster: object, user: object, says: string]>([
    ["exec", {}, { exec: { command: "/bin/steal" } }, "runs a program"],
    ["an auth provider", {}, { "auth-provider": { name: "gcp" } }, "auth-provider"],
    ["a token file", {}, { tokenFile: "/etc/hostname" }, "tokenFile"],
    ["a token file under client-node's name for it", {}, { "token-file": "/etc/hostname" }, "tokenFile"],
    ["a certificate file", {}, { "client-certificate": "/a", "client-key-data": KEY }, "client-certificate"],
    ["a key file", {}, { "client-certificate-data": CERTIFICATE, "client-key": "/a" }, "client-key"],
    ["impersonation", {}, { as: "system:admin", token: "t" }, "impersonates"],
    ["a CA file", { "certificate-authority": "/etc/hostname" }, {}, "certificate-authority"],
    ["no TLS verification", { "insecure-skip-tls-verify": true }, {}, "insecure-skip-tls-verify"],
    ["a proxy", { "proxy-url": "http://proxy.example" }, {}, "proxy-url"],
  ])("may not ask for %s", (_, cluster, user, says) => {
    const error = refusal(kubeconfig({ ...cluster }, { ...user }));
    expect(error.reason).toBe("Refused");
    expect(error.message).toContain(says);
    expect(error.message).toContain("shanghai-1");
  });

  test.each([
    "https://169.254.169.254",
    "https://169.254.10.1:6443",
    "https://2852039166",
    "https://0xa9fea9fe",
    "https://[fe80::1]",
    "https://[febf::1]",
    "https://[fd00:ec2::254]",
    "https://[::ffff:169.254.169.254]",
    "https://metadata.google.internal",
    "https://METADATA.google.internal.",
    "https://100.100.100.200",
    "https://0.0.0.0:6443",
    "http://api.example:6443",
  ])("may not send credentials to %s", (server) => {
    expect(refusal(kubeconfig({ server })).reason).toBe("Refused");
  });

  test.each([
    "https://127.0.0.1:6443",
    "http://127.0.0.1:8001",
    "http://localhost:8001",
    "https://[::1]",
    "https://10.0.0.1",
    "https://[fd00::1]",
  ])("may name %s", (server) => {
    expect(read(kubeconfig({ server })).server).toBe(server);
  });

  test.each([
    { name: "not YAML", text: "a: [hunter2" },
    { name: "not YAML after a token", text: "a: [hunter2\nb: hunter2: hunter2\n" },
    { name: "not a kubeconfig", text: "hunter2" },
    { name: "a list of aliases that would grow without end", text: "a: &a [hunter2]\nclusters: [*a, *a]" },
    { name: "no current context", text: stringify({ clusters: [] }) },
    { name: "a context that is not there", text: stringify({ clusters: [], contexts: [], "current-context": "x" }) },
    { name: "a server that is no address", text: kubeconfig({ server: "api.example:6443/hunter2" }) },
    { name: "a server with a password in it", text: kubeconfig({ server: "https://anna:hunter2@api.example" }) },
    { name: "a CA that is not PEM", text: kubeconfig({ "certificate-authority-data": "aHVudGVyMg==" }) },
    { name: "a token with a line break in it", text: kubeconfig({}, { token: "hunter2\nx" }) },
    { name: "a certificate without its key", text: kubeconfig({}, { "client-certificate-data": base64(CLIENT.cert) }) },
  ])("is refused without repeating it: $name", ({ text }) => {
    const error = refusal(text);
    expect(error.reason).toBe("InvalidKubeconfig");
    expect(error.message).not.toContain("hunter2");
  });
});

describe("broken YAML", () => {
  const whole = kubeconfig();
  test.each([
    ["a list that is not closed", "clusters: [", "line 1, column 12: wrong indent or brackets"],
    [
      "a server that is not closed",
      whole.replace("server: ", "server: ["),
      "line 5, column 1: wrong indent or brackets",
    ],
    ["a tab", whole.replace("      server", "\t  server"), "line 4, column 1: a tab indents it"],
    ["a quote", whole.replace("server: ", "server: '"), ": a quote, ] } or : is missing"],
    ["a colon too many", whole.replace("server: ", "server: a: "), "line 4, column 15"],
  ])("is shown by its line and column: %s", (_name, text, says) => {
    expect(text).not.toBe(whole);
    const error = refusal(text);
    expect(error.reason).toBe("InvalidKubeconfig");
    expect(error.message).toContain("the kubeconfig is no YAML at line ");
    expect(error.message).toContain(says);
    const inCondition = `${"c".repeat(40)}: ${error.message.slice(error.message.indexOf("the kubeconfig"))}`;
    expect(inCondition.length, "fits into a condition").toBeLessThanOrEqual(120);
  });

  test.each([
    { name: "fields that are there twice", text: `current-context: other\n${kubeconfig()}` },
    { name: "more than one document", text: `${kubeconfig()}---\nclusters: [` },
    { name: "JSON that tabs indent", text: JSON.stringify(parse(kubeconfig()), undefined, "\t") },
  ])("is not what kubectl takes as well: $name", ({ text }) => {
    expect(read(text).server).toBe("https://api.example:6443");
  });
});

describe("a kubeconfig of this machine", () => {
  test("may refer to files, relative to itself", async () => {
    const path = folder({ "ca.crt": CA, token: "from-file\n", "user.crt": CLIENT.cert, "user.key": CLIENT.key });
    const allowFiles = { relativeTo: path };
    const config = read(kubeconfig({ "certificate-authority": "ca.crt" }, { tokenFile: "token" }), { allowFiles });
    expect(config.caData).toBe(CA);
    await expect(config.credentials.authorization()).resolves.toBe("Bearer from-file");
    const certificate = read(
      kubeconfig({}, { "client-certificate": "user.crt", "client-key": join(path, "user.key") }),
      { allowFiles },
    );
    await expect(certificate.credentials.clientCertificate?.()).resolves.toEqual({
      cert: CLIENT.cert.trim(),
      key: CLIENT.key.trim(),
    });
  });

  test("a file that is missing is named", () => {
    const error = refusal(kubeconfig({ "certificate-authority": "gone.crt" }), {
      allowFiles: { relativeTo: folder({}) },
    });
    expect(error.message).toMatch(/certificate-authority file .*gone\.crt cannot be read \(ENOENT\)/);
  });

  test("may skip TLS verification when that is wished outright", () => {
    expect(read(kubeconfig({ "insecure-skip-tls-verify": true }), { allowInsecure: true }).insecure).toBe(true);
  });
});

describe("a credential plugin that is allowed", () => {
  const plugin = (path: string, more: Record<string, unknown> = {}): string =>
    kubeconfig(
      {},
      {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: process.execPath,
          args: [join(path, "plugin.mjs")],
          ...more,
        },
      },
    );

  const counting = `
    import { existsSync, readFileSync, writeFileSync } from "node:fs";
    const file = new URL("count", import.meta.url);
    const count = existsSync(file) ? Number(readFileSync(file)) + 1 : 1;
    writeFileSync(file, String(count));
    const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
    const token = [process.env.WHO, count, spec.cluster?.server].filter(Boolean).join(" ").replaceAll(" ", "-");
    console.log(JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token } }));
  `;

  test("is run once, and again after its credential was refused", async () => {
    const path = folder({ "plugin.mjs": counting });
    const env = [{ name: "WHO", value: "anna" }];
    const { credentials } = read(plugin(path, { env, provideClusterInfo: true }), { allowExec: true });
    const first = "Bearer anna-1-https://api.example:6443";
    await expect(Promise.all([credentials.authorization(), credentials.authorization()])).resolves.toEqual([
      first,
      first,
    ]);
    await expect(credentials.authorization()).resolves.toBe(first);
    expect(credentials.invalidate?.(first)).toBe(true);
    const second = "Bearer anna-2-https://api.example:6443";
    await expect(credentials.authorization()).resolves.toBe(second);
    expect(credentials.invalidate?.(first), "somebody else has renewed it already").toBe(true);
    await expect(credentials.authorization()).resolves.toBe(second);
  });

  test("that fails is named, and what it printed is not", async () => {
    const path = folder({ "plugin.mjs": "console.error('hunter2'); process.exit(3);" });
    const { credentials } = read(plugin(path), { allowExec: true });
    await expect(credentials.authorization()).rejects.toSatisfy(
      (error) =>
        error instanceof CredentialsError && error.reason === "Unavailable" && !error.message.includes("hunter2"),
    );
  });

  test.each([
    { what: "nothing", text: "" },
    { what: "an ExecCredential without a credential", text: `console.log('{"kind":"ExecCredential","status":{}}')` },
  ])("that ends well and prints $what is told from one that fails", async ({ text }) => {
    const { credentials } = read(plugin(folder({ "plugin.mjs": text })), { allowExec: true });
    await expect(credentials.authorization()).rejects.toMatchObject({
      reason: "Unavailable",
      message: `the credential plugin ${process.execPath} printed no ExecCredential with a token or a client certificate; check its command and args in the kubeconfig`,
    });
  });

  test("that is not installed says where to get it", async () => {
    const { credentials } = read(
      plugin("/", { command: "no-such-plugin", installHint: "see https://plugins.example" }),
      { allowExec: true },
    );
    await expect(credentials.authorization()).rejects.toThrow(
      "the credential plugin no-such-plugin is not installed: see https://plugins.example",
    );
  });
});

const GOOD = {
  clusters: [{ name: "c", cluster: { server: "https://api.example:6443" } }],
  users: [{ name: "u", user: { token: "t-1" } }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  "current-context": "x",
};

/** What came of reading it: nothing, or the sentence for people. Any other error is one of the reader's. */
function problemIn(file: unknown): string | undefined {
  try {
    clusterConfigFromKubeconfig(typeof file === "string" ? file : stringify(file), { cluster: "shanghai-1" });
    return undefined;
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
}

describe("a kubeconfig that is malformed", () => {
  test.each<[what: string, file: unknown, want: RegExp]>([
    ["contexts that hold nothing", { ...GOOD, contexts: [null, ...GOOD.contexts] }, /contexts\[0\] .* with a name/],
    ["users that hold nothing", { ...GOOD, users: [null, ...GOOD.users] }, /users\[0\] .* no entry/],
    ["clusters that hold nothing", { ...GOOD, clusters: [null] }, /clusters\[0\] .* no entry/],
    ["no clusters", { ...GOOD, clusters: null }, /no list of clusters/],
    ["contexts that are no list", { ...GOOD, contexts: { x: 1 } }, /contexts of the kubeconfig is not a list/],
    ["no users", { ...GOOD, users: undefined }, /user of context "x" is not in the kubeconfig/],
    ["an entry without a name", { ...GOOD, users: [{ user: {} }] }, /users\[0\] .* no entry/],
    ["a cluster without its part", { ...GOOD, clusters: [{ name: "c" }] }, /shanghai-1/],
    ["a context without its part", { ...GOOD, contexts: [{ name: "x", context: null }] }, /shanghai-1/],
    ["a list", [GOOD], /not a kubeconfig/],
    ["a text", "hello", /not a kubeconfig/],
    ["9,000 levels", `{clusters: [], a: ${"[".repeat(9_000)}${"]".repeat(9_000)}}`, /nested deeper|is no YAML/],
    ["more text than any has", `clusters: []\n# ${"x".repeat(600_000)}`, /longer than/],
  ])("by %s says so in a sentence", (_, file, want) => {
    expect(problemIn(file)).toMatch(want);
    const text = typeof file === "string" ? file : stringify(file);
    expect(() => serverOfKubeconfig(text)).not.toThrow();
  });

  const junk = fc.constantFrom<unknown>(null, "x", 7, [], [null], {});
  const path = fc.constantFrom(
    ...["clusters", "users", "contexts", "current-context", "clusters 0", "users 0", "contexts 0"],
    ...["clusters 0 cluster", "users 0 user", "contexts 0 context", "clusters 0 cluster server", "users 0 user token"],
    ...["contexts 0 context cluster", "contexts 0 context user", "users 0 user exec"],
    ...["users 0 user client-certificate-data", "clusters 0 cluster certificate-authority-data"],
  );

  test.prop([fc.array(fc.tuple(path, junk), { minLength: 1, maxLength: 3 })])(
    "in whatever place gives a sentence, or is read",
    (changes) => {
      const file = structuredClone(GOOD) as unknown;
      for (const [place, value] of changes) {
        const where = place.split(" ");
        let at = file as Record<string, unknown>;
        for (const key of where.slice(0, -1))
          at = (typeof at?.[key] === "object" && at[key] !== null ? at[key] : {}) as typeof at;
        at[where.at(-1) ?? ""] = value;
      }
      const message = problemIn(file);
      if (message !== undefined) expect(message).toMatch(/^cluster shanghai-1: /);
      expect(() => serverOfKubeconfig(stringify(file))).not.toThrow();
    },
  );
});
