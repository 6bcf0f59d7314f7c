import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CommanderError } from "@commander-js/extra-typings";
import { describe, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { withBlocks } from "../../../src/apis/reference/index.ts";
import { clusterState } from "../../../src/apis/kinds/demoapplication.ts";
import { REASONS } from "../../../src/apis/reasons/reasons.ts";
import * as names from "../../../src/apis/metadata/wellknown.ts";
import { createMetrics } from "../../../src/observability/index.ts";
import * as webhookNames from "../../../src/webhooks/wellknown.ts";
import { REPOSITORY } from "../../envtest/index.ts";
import { commandsText, programForReading } from "../../reference/commands.ts";
import { exitCodesTable, metricsTable } from "../../reference/tables.ts";
import { anchorOf, codeLines, codeSpans, PAGES, read, sectionsOf } from "./markdown.ts";

const sources = globSync("{src,test}/**/*.{ts,js}", { cwd: REPOSITORY });
const sourceText = sources.map((path) => readFileSync(join(REPOSITORY, path), "utf8")).join("\n");

describe("the README", () => {
  const readme = read("README.md");

  test("is short enough to be read", () => expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(15_000));

  test("goes from what it is to where to read on", () => {
    const titles = sectionsOf(readme).map(({ level, title }) => `${"#".repeat(level)} ${title}`);
    expect(titles).toEqual([
      "# Meridian",
      "## Quickstart",
      "## The picture",
      "## Beside other projects",
      "## Status and limits",
      "## An operator in three regions",
      "## A fleet of your own",
      "## Helm",
      "## Where to read on",
    ]);
  });

  test("has the two commands that a newcomer runs", () => {
    expect(readme).toContain("\n    npm start\n");
    expect(readme).toContain("`npm test`");
  });

  test("leads to every other page", () => {
    for (const page of PAGES.slice(1)) expect(readme).toContain(`](${page})`);
  });
});

test("the policies' page says how to ask right after the first example", () => {
  const titles = sectionsOf(read("placements/README.md")).flatMap(({ level, title }) => (level === 2 ? [title] : []));
  expect(titles.slice(0, 2)).toEqual(["The application of the examples", "Ask before and after"]);
});

test("the page for trouble names reasons and states that there are", () => {
  const rows = read("placements/TROUBLE.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => codeSpans(row.split("|")[1] ?? ""));
  const known = new Set([...Object.keys(REASONS), ...clusterState.options]);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

describe.each(PAGES)("%s", (page) => {
  const text = read(page);

  test("is in plain words", () => expect(text).not.toMatch(/\bshall\b/i));

  test("links to what there is", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const broken = links.filter((link) => !link.includes("://") && !leadsSomewhere(page, link));
    expect(broken).toEqual([]);
  });

  test("names scripts of npm that there are", () => {
    const scripts = [...text.matchAll(/\bnpm run (?:-s )?([a-z][a-z:0-9]*)/g)].map(([, script = ""]) => script);
    expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([]);
  });

  test("names files that there are", () => {
    const paths = codeSpans(text).filter((code) => /^(src|test|charts|placements|\.ci)\/[\w./-]+\w$/.test(code));
    const ofSource = codeSpans(text).filter((code) => page === "src/README.md" && /^[a-z]+\/[\w/]+\.ts$/.test(code));
    const missing = [...paths, ...ofSource.map((path) => `src/${path}`)].filter(
      (path) => !existsSync(join(REPOSITORY, path)),
    );
    expect(missing).toEqual([]);
  });

  test("shows commands that the program takes", async () => {
    const inBlocks = await Promise.all(meridianCommands(codeLines(text)).map((args) => refusalOf(args)));
    // In a sentence a command may be named without what it needs.
    const inSentences = await Promise.all(meridianCommands(codeSpans(text)).map((args) => refusalOf(args, UNKNOWN)));
    expect([...inBlocks, ...inSentences].filter((refusal) => refusal !== undefined)).toEqual([]);
  });

  test("names metrics that there are", async () => {
    const known = createMetrics({ processMetrics: false })
      .registry.getMetricsAsArray()
      .map(({ name }) => name);
    const named = [...text.matchAll(/\b(?:operator|federation|controller_runtime|workqueue|rest_client)_[a-z_]+/g)];
    expect(named.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  test("names labels and annotations that there are", () => {
    const known: unknown[] = Object.values({ ...names, ...webhookNames });
    const named = [...text.matchAll(/(?<![\w.])(?:federation\.)?paas\.cmft\.com\/[a-z][a-z-]+[a-z]/g)].map(
      ([key]) => key,
    );
    expect(named.filter((key) => !known.includes(key) && !sourceText.includes(key))).toEqual([]);
  });

  test("names reasons, kinds and conditions that the source knows", () => {
    const words = codeSpans(text).filter((code) => /^([A-Z][a-z]+){2,}$/.test(code));
    // Spans of a write are named after the kind.
    const kinds = words.map((word) => word.replace(/^Sync(?=[A-Z])/, ""));
    expect(kinds.filter((word) => !sourceText.includes(word))).toEqual([]);
  });
});

test("the page of reference says what the program says", () => {
  const page = read("charts/meridian/REFERENCE.md");
  const blocks = { commands: commandsText(), "exit codes": exitCodesTable(), metrics: metricsTable() };
  expect(withBlocks(page, blocks) === page).toBe(true);
});

/** A file, a heading of this page, or a heading of another page. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(REPOSITORY, target))) return false;
  return anchor === undefined || sectionsOf(read(target)).some(({ title }) => anchorOf(title) === anchor);
}

const UNKNOWN = ["commander.unknownOption", "commander.unknownCommand", "commander.excessArguments"];

/** Why the program does not take these arguments; undefined when it does, or when that is for another reason than these. */
async function refusalOf(args: string[], codes?: readonly string[]): Promise<string | undefined> {
  try {
    await programForReading().parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    const { code = "", message } = error as Partial<CommanderError> & Error;
    return codes?.includes(code) === false ? undefined : `${args.join(" ")}: ${message}`;
  }
}

/** The arguments of every command of the program among these. */
function meridianCommands(commands: readonly string[]): string[][] {
  return commands.flatMap((line) => {
    const command = line.replace(/^\$ /, "").replace(/\s+#.*$/, "");
    const [, verb] = /^(?:npm run (?:-s )?meridian --|meridian) (.+)$/.exec(command) ?? [];
    const [, start] = /^npm start -- (.+)$/.exec(command) ?? [];
    const args = verb ?? (start === undefined ? undefined : `quickstart ${start}`);
    if (args === undefined || /COMMAND|ARGS|[<…|]/.test(args)) return [];
    return [
      args
        .replaceAll(/NAME|\$[A-Z]+/g, "name")
        .replaceAll("NAMESPACE", "namespace")
        .split(/\s+/),
    ];
  });
}
