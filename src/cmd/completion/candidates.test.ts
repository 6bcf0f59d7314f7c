import { describe, expect, test } from "vitest";
import type { CommandContext } from "../shared/connection.ts";
import { createProgram } from "../program.ts";
import { candidatesFor, type Known, valueOf } from "./candidates.ts";

const context: CommandContext = {
  terminal: { out: () => undefined, err: () => undefined, color: false, interactive: false },
  signal: new AbortController().signal,
  env: {},
};
const program = createProgram(context, async () => undefined);
const known: Known = {
  contexts: (flag) => [`of${flag}`],
  members: async () => ["shanghai-1", "singapore-1"],
  applications: async () => ["shop", "shop", "blog"],
  others: async () => ["configmap/settings", "manifestbundle/addons"],
  rolledOut: async () => ({ applications: ["shop"], bundles: ["addons"] }),
  namespaces: async () => ["default", "team-a"],
};

async function offer(line: string): Promise<{ words: string[]; files: boolean }> {
  const { candidates, files } = await candidatesFor(program, line.split(" "), known);
  return { words: candidates.map(({ word }) => word), files };
}

describe("a shell may offer", () => {
  test.each<{ line: string; words: string[]; files?: boolean }>([
    { line: "un", words: ["uninstall", "unjoin", "uncordon"] },
    { line: "help st", words: ["status"] },
    { line: "status --w", words: ["--watch", "--wait"] },
    { line: "status --watch --w", words: ["--wait"] },
    { line: "join a --label x=y --la", words: ["--label"] },
    { line: "status --conte", words: ["--context"] },
    { line: "status -o ", words: ["wide", "json", "yaml", "name"] },
    { line: "status -o j", words: ["json"] },
    { line: "--log-level de", words: ["debug"] },
    { line: "join a --member-kubeconfig ", words: [], files: true },
    { line: "quickstart --dir ", words: [], files: true },
    { line: "status --context ", words: ["of--kubeconfig"] },
    { line: "join a --member-context ", words: ["of--member-kubeconfig"] },
    { line: "explain s", words: ["shop"] },
    { line: "explain shop --cluster sh", words: ["shanghai-1"] },
    { line: "explain -f ", words: [], files: true },
    { line: "ch", words: ["check"] },
    { line: "check --h", words: ["--hub-only", "--help"] },
    { line: "analyze --without-hub --from ", words: [], files: true },
    { line: "unjoin s", words: ["shanghai-1", "singapore-1"] },
    { line: "unjoin shanghai-1 ", words: [] },
    { line: "join s", words: [] },
    { line: "join --renew si", words: ["singapore-1"] },
    { line: "--kubeconfig h.yaml unjoin sh", words: ["shanghai-1"] },
    {
      line: "status ",
      words: [
        "shop",
        "blog",
        "configmap/settings",
        "manifestbundle/addons",
        "membercluster/shanghai-1",
        "membercluster/singapore-1",
      ],
    },
    { line: "tree c", words: ["configmap/settings"] },
    { line: "describe sh", words: ["shop"] },
    { line: "events membercluster/si", words: ["membercluster/singapore-1"] },
    { line: "why s", words: ["shop"] },
    { line: "why c", words: ["configmap/settings"] },
    { line: "logs m", words: ["manifestbundle/addons"] },
    { line: "logs shop --cluster si", words: ["singapore-1"] },
    { line: "timeline membercluster/si", words: ["membercluster/singapore-1"] },
    { line: "status --source ", words: ["auto", "query", "objects"] },
    { line: "support-bundle -o ", words: [], files: true },
    { line: "why shop --cluster si", words: ["singapore-1"] },
    { line: "get m", words: ["membercluster", "manifestbundle", "manifestbundle/addons"] },
    { line: "get demoapplication/b", words: ["demoapplication/blog"] },
    { line: "get demoapplication -n t", words: ["team-a"] },
    { line: "status shop b", words: ["blog"] },
    { line: "status -n ", words: ["default", "team-a"] },
    { line: "plan --namespace te", words: ["team-a"] },
    { line: "rollout ", words: ["status", "history", "pause", "resume", "approve", "abort", "undo"] },
    { line: "rollout h", words: ["history"] },
    { line: "rollout status ", words: ["shop", "manifestbundle/addons"] },
    { line: "rollout status -n team-a s", words: ["shop"] },
    { line: "rollout status shop ", words: [] },
    { line: "rollout status -o ", words: ["json", "yaml"] },
    { line: "rollout undo --to", words: ["--to-revision"] },
    { line: "bundle ", words: ["create"] },
    { line: "bundle create addons --helm", words: ["--helm"] },
    { line: "completion ", words: ["bash", "zsh", "fish"] },
    { line: "version ", words: [] },
    { line: "bogus ", words: expect.arrayContaining(["status", "join"]) as string[] },
  ])("for $line", async ({ line, words, files = false }) => {
    expect(await offer(line)).toEqual({ words, files });
  });

  test("every command, each with what it does", async () => {
    const { candidates } = await candidatesFor(program, [""], known);
    expect(candidates.map(({ word }) => word)).toEqual(program.commands.map((command) => command.name()));
    expect(candidates.every(({ description }) => (description ?? "").length > 10)).toBe(true);
  });

  test("every option of every command", async () => {
    for (const command of program.commands) {
      const { words } = await offer(`${command.name()} -`);
      for (const { long } of command.options.filter(({ hidden }) => !hidden)) expect(words).toContain(long);
    }
  });
});

test("the value of an option is found in both of its forms", () => {
  expect(valueOf(["a", "--context", "x"], "--context")).toBe("x");
  expect(valueOf(["a", "--context=x"], "--context")).toBe("x");
  expect(valueOf(["a", "--context-of"], "--context")).toBeUndefined();
});
