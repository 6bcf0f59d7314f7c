import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../../envtest/index.ts";

/** Paths of the pages, from the repository. */
export const PAGES = [
  "README.md",
  "placements/README.md",
  "placements/TROUBLE.md",
  "placements/TENANTS.md",
  "placements/WORDS.md",
  "placements/REFERENCE.md",
  "charts/meridian/README.md",
  "charts/meridian/REFERENCE.md",
  "charts/meridian/RUNBOOKS.md",
  "src/README.md",
  "src/decisions/README.md",
  "test/README.md",
  "test/BENCH.md",
];

/** The page that explains the words of the other pages. */
export const GLOSSARY = "placements/WORDS.md";

export function read(page: string): string {
  return readFileSync(join(REPOSITORY, page), "utf8");
}

/** A part of a page, from its heading to the next heading of any level. */
export interface Section {
  level: number;
  title: string;
  text: string;
}

/** A line that begins with "#" inside of a fenced block is no heading. */
export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let fenced = false;
  for (const line of text.split("\n")) {
    if (/^ *```/.test(line)) fenced = !fenced;
    const [, marks, title] = /^(#{1,6}) (.+)$/.exec(line) ?? [];
    if (!fenced && marks !== undefined && title !== undefined) sections.push({ level: marks.length, title, text: "" });
    else if (sections.length > 0) (sections.at(-1) as Section).text += `${line}\n`;
  }
  return sections;
}

/** What a link to a heading is called, as GitHub and GitLab make it. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** The contents of the fenced blocks of a language. */
export function fencedBlocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```([a-z]*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, block = ""]) =>
    of === language ? [block] : [],
  );
}

/** Lines of code: of fenced blocks in a shell's language, and of what is indented by four or six columns after an empty line. */
export function codeLines(text: string): string[] {
  const indented = text
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.split("\n").every((line) => /^ {4}/.test(line)))
    .flatMap((paragraph) => paragraph.split("\n"));
  const fenced = ["sh", "bash", ""].flatMap((language) => fencedBlocks(text, language)).flatMap((b) => b.split("\n"));
  return [...indented, ...fenced].map((line) => line.trim()).filter((line) => line !== "");
}

/** What stands in backticks within a line. */
export function codeSpans(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** The lines of sentences: no headings, tables, code or comments. */
export function prose(text: string): string[] {
  const blocks = text
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .split(/\n\s*\n/)
    .filter((block) => !block.split("\n").every((line) => /^ {4}/.test(line)));
  return blocks.flatMap((block) => block.split("\n")).filter((line) => line.trim() !== "" && !/^\s*[#|]/.test(line));
}

/** The rows of the glossary. */
export function glossary(): { word: string; meaning: string }[] {
  return [...read(GLOSSARY).matchAll(/^\| ([a-z][a-z ,]*?) +\| (.+?) +\|$/gm)]
    .map(([, word = "", meaning = ""]) => ({ word, meaning }))
    .filter(({ word }) => word !== "word");
}
