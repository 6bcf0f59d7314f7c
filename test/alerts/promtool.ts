import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { REPOSITORY, run } from "../envtest/index.ts";
import { prometheusHere } from "../envtest/prometheus.ts";

export const RULES_FILE = join(REPOSITORY, "charts/meridian/files/alerts.yaml");

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

export interface RuleGroup {
  name: string;
  rules: AlertRule[];
}

/** The groups of the file of rules, as it stands in the chart. */
export async function ruleGroups(): Promise<RuleGroup[]> {
  return (parse(await readFile(RULES_FILE, "utf8")) as { groups: RuleGroup[] }).groups;
}

/** Promtool's path; throws where it is missing, since every test here is about what it says. */
export async function promtool(): Promise<string> {
  const found = await prometheusHere("promtool");
  if (found === undefined) {
    throw new Error(
      "promtool is not here: `npm run alerts` builds it with Go; or put it on PATH (Debian's package `prometheus` has it), or name it in PROMTOOL",
    );
  }
  return found;
}

/** Runs promtool on files with these contents, in a folder of their own. The result is empty when it has nothing to complain about. */
export async function complaintOf(args: string[], files: Record<string, unknown>): Promise<string> {
  await using folder = await temporaryFolder("meridian-alerts-");
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), stringify(content));
  const { code, stdout, stderr } = await run(await promtool(), args, { cwd: folder.path });
  return code === 0 ? "" : stdout + stderr;
}
