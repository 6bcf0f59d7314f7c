import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { stringify } from "yaml";
import { CredentialsError } from "../core/errors.ts";
import { clusterConfigFromKubeconfig, serverOfKubeconfig } from "./kubeconfig.ts";

const GOOD = {
  clusters: [{ name: "c", cluster: { server: "https://api.example:6443" } }],
  users: [{ name: "u", user: { token: "t-1" } }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  "current-context": "x",
};

/** What came of reading it: nothing, or the sentence for people. Any other error is one of the reader's. */
function read(file: unknown): string | undefined {
  try {
    clusterConfigFromKubeconfig(typeof file === "string" ? file : stringify(file), { cluster: "shanghai-1" });
    return undefined;
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
}

describe("a kubeconfig that is malformed", () => {
  test.each<{ what: string; file: unknown; want: RegExp }>([
    {
      what: "contexts that hold nothing",
      file: { ...GOOD, contexts: [null, ...GOOD.contexts] },
      want: /contexts\[0\] .* no entry with a name/,
    },
    {
      what: "users that hold nothing",
      file: { ...GOOD, users: [null, ...GOOD.users] },
      want: /users\[0\] .* no entry/,
    },
    { what: "clusters that hold nothing", file: { ...GOOD, clusters: [null] }, want: /clusters\[0\] .* no entry/ },
    { what: "no clusters", file: { ...GOOD, clusters: null }, want: /no list of clusters/ },
    {
      what: "contexts that are no list",
      file: { ...GOOD, contexts: { x: 1 } },
      want: /contexts of the kubeconfig is not a list/,
    },
    { what: "no users", file: { ...GOOD, users: undefined }, want: /user of context "x" is not in the kubeconfig/ },
    { what: "an entry without a name", file: { ...GOOD, users: [{ user: {} }] }, want: /users\[0\] .* no entry/ },
    { what: "a cluster without its part", file: { ...GOOD, clusters: [{ name: "c" }] }, want: /shanghai-1/ },
    {
      what: "a context without its part",
      file: { ...GOOD, contexts: [{ name: "x", context: null }] },
      want: /shanghai-1/,
    },
    { what: "a list", file: [GOOD], want: /not a kubeconfig/ },
    { what: "a text", file: "hello", want: /not a kubeconfig/ },
    {
      what: "9,000 levels",
      file: `{clusters: [], a: ${"[".repeat(9_000)}${"]".repeat(9_000)}}`,
      want: /nested deeper|is no YAML/,
    },
    { what: "more text than any has", file: `clusters: []\n# ${"x".repeat(600_000)}`, want: /longer than/ },
  ])("by $what says so in a sentence", ({ file, want }) => {
    expect(read(file)).toMatch(want);
    const text = typeof file === "string" ? file : stringify(file);
    expect(() => serverOfKubeconfig(text)).not.toThrow();
  });

  const junk = fc.oneof(
    fc.constant(null),
    fc.constant("x"),
    fc.constant(7),
    fc.constant([]),
    fc.constant([null]),
    fc.constant({}),
  );
  const path = fc.constantFrom(
    ["clusters"],
    ["users"],
    ["contexts"],
    ["current-context"],
    ["clusters", 0],
    ["users", 0],
    ["contexts", 0],
    ["clusters", 0, "cluster"],
    ["users", 0, "user"],
    ["contexts", 0, "context"],
    ["clusters", 0, "cluster", "server"],
    ["users", 0, "user", "token"],
    ["contexts", 0, "context", "cluster"],
    ["contexts", 0, "context", "user"],
    ["users", 0, "user", "exec"],
    ["users", 0, "user", "client-certificate-data"],
    ["clusters", 0, "cluster", "certificate-authority-data"],
  );

  test.prop([fc.array(fc.tuple(path, junk), { minLength: 1, maxLength: 3 })])(
    "in whatever place gives a sentence, or is read",
    (changes) => {
      const file = structuredClone(GOOD) as unknown;
      for (const [where, value] of changes) {
        let at = file as Record<string | number, unknown>;
        for (const key of where.slice(0, -1))
          at = (typeof at?.[key] === "object" && at[key] !== null ? at[key] : {}) as typeof at;
        at[where.at(-1) ?? ""] = value;
      }
      const message = read(file);
      if (message !== undefined) expect(message).toMatch(/^cluster shanghai-1: /);
      expect(() => serverOfKubeconfig(stringify(file))).not.toThrow();
    },
  );
});
