import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { REPOSITORY } from "../../envtest/index.ts";
import { anchorOf, codeSpans, read, sectionsOf } from "./markdown.ts";
import { flawOf } from "./printedCommands.ts";

interface Rule {
  alert: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

const PAGE = "charts/meridian/RUNBOOKS.md";
const file = parse(readFileSync(join(REPOSITORY, "charts/meridian/files/alerts.yaml"), "utf8")) as {
  groups: { rules: Rule[] }[];
};
const rules = file.groups.flatMap((group) => group.rules);
const sections = sectionsOf(read(PAGE)).filter(({ level }) => level === 2);

test("the page has a section for each alert, in the order of the rules, and a way on", () => {
  expect(sections.map(({ title }) => title)).toEqual([...rules.map(({ alert }) => alert), "Where to read on"]);
});

describe.each(rules)("$alert", ({ alert, labels, annotations }) => {
  const text = sections.find(({ title }) => title === alert)?.text ?? "";

  test("says what it means, what users feel, where to look, what to do, and when it clears", () => {
    const parts = [...text.matchAll(/^\*\*([^*]+)\*\*/gm)].map(([, part]) => part);
    expect(parts).toEqual(["Means.", "Users feel.", "Look.", "Do.", "Clears"]);
  });

  test("names commands that can be run as they stand", async () => {
    const commands = codeSpans(text).filter((code) => /^(?:kubectl|meridian) [a-z]/.test(code));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect({ command, flaw: await flawOf(command) }).toEqual({ command });
  });

  test("leads to its section, and says how urgent it is", () => {
    expect(annotations.runbook_url).toBe(`${PAGE}#${anchorOf(alert)}`);
    expect(["critical", "warning", "info"]).toContain(labels.severity);
    expect(annotations.summary).not.toMatch(/\.$/);
    expect(annotations.description).toMatch(/[.]$/);
  });
});
