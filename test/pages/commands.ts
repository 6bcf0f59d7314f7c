import { spawnSync } from "node:child_process";
import { PAGES, read, sectionsOf } from "../integration/pages/markdown.ts";

/** One command as it stands on a page. */
export interface PageCommand {
  /** As a reader copies it: several lines where a backslash or a loop goes on. */
  text: string;
  /** What the page shows beneath it, where it shows a prompt. */
  shown: string[];
}

/** A part of a page that has code which is no example in YAML. */
export interface PageSection {
  page: string;
  title: string;
  blocks: PageBlock[];
}

export interface PageBlock {
  /** Tells blocks of one section apart. */
  firstLine: string;
  lines: string[];
}

/** Every section of every page that has such blocks. */
export function sectionsWithBlocks(): PageSection[] {
  return PAGES.flatMap((page) =>
    sectionsOf(read(page)).map(({ title, text }) => ({ page, title, blocks: blocksOf(text) })),
  ).filter(({ blocks }) => blocks.length > 0);
}

/** Paragraphs that are indented by four columns or more, and fenced blocks that are for a shell or for nobody in particular. */
export function blocksOf(text: string): PageBlock[] {
  const blocks: PageBlock[] = [];
  const take = (lines: string[]): void => void blocks.push({ firstLine: lines[0] ?? "", lines });
  let fence: { language: string; lines: string[] } | undefined;
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    const indented = paragraph.length > 0 && paragraph.every((line) => line.startsWith("    "));
    if (indented) take(paragraph.map((line) => line.slice(4)));
    paragraph = [];
  };
  for (const line of [...text.split("\n"), ""]) {
    const [, language] = /^```([a-z]*)/.exec(line) ?? [];
    if (fence !== undefined) {
      if (language === undefined) fence.lines.push(line);
      else {
        if (["", "sh", "bash"].includes(fence.language)) take(fence.lines);
        fence = undefined;
      }
    } else if (language !== undefined) {
      endParagraph();
      fence = { language, lines: [] };
    } else if (line.trim() === "") endParagraph();
    else paragraph.push(line);
  }
  return blocks;
}

/** The commands of a block, in their order: with prompts those behind a prompt, else every line. */
export function commandsOf(block: PageBlock): PageCommand[] {
  const prompted = block.lines.some((line) => line.startsWith("$ "));
  const commands: PageCommand[] = [];
  let pending = "";
  for (const line of block.lines) {
    if (prompted && pending === "" && !line.startsWith("$ ")) {
      commands.at(-1)?.shown.push(line);
      continue;
    }
    pending += `${pending === "" ? "" : "\n"}${prompted ? line.replace(/^\$ /, "") : line}`;
    if (!isWhole(pending)) continue;
    if (!/^\s*(#.*)?$/.test(pending)) commands.push({ text: pending, shown: [] });
    pending = "";
  }
  if (pending !== "") throw new Error(`a command without an end: ${pending}`);
  return commands;
}

/** Whether bash would run it, or wait for another line. */
function isWhole(text: string): boolean {
  if (text.endsWith("\\")) return false;
  return !/\b(?:for|while|if|case)\b|<<|['"({]/.test(text) || spawnSync("bash", ["-n", "-c", text]).status === 0;
}
