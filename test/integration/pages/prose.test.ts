import { describe, expect, test } from "vitest";
import { GLOSSARY, glossary, PAGES, prose, read, sectionsOf } from "./markdown.ts";

/** Pages that tell a story; the pages of reference link to the glossary in their introduction only. */
const STORIES = PAGES.filter((page) => !page.endsWith("REFERENCE.md") && page !== GLOSSARY);
const LONGEST_LINE = 119;

/** Words of this project, and how their forms are recognised; those that are everyday words too are left to the reader. */
const TERMS = [
  { word: "hub", form: /\bhubs?\b/i },
  { word: "member", form: /\bmembers?\b/i },
  { word: "placed", form: /\bplaced\b/i },
  { word: "binding", form: /\bbindings?\b/i },
  { word: "bundle", form: /\bbundles?\b/i },
  { word: "drift", form: /\bdrift(?:s|ed)?\b/i },
  { word: "held", form: /\bheld\b/i },
  { word: "gate", form: /\bgates?\b/i },
  { word: "soak", form: /\bsoak(?:s|ed)?\b/i },
  { word: "lane", form: /\blanes?\b/i },
  { word: "adopt", form: /\badopt(?:s|ed)?\b/i },
  { word: "orphan", form: /\borphan(?:s|ed)?\b/i },
];

describe.each(PAGES)("%s", (page) => {
  const lines = prose(read(page));

  test("keeps its lines of prose below 120 characters", () =>
    expect(lines.filter((line) => line.length > LONGEST_LINE)).toEqual([]));

  test("has one sentence a line", () => {
    const sentences = lines.map((line) => line.replaceAll(/`[^`]*`/g, "code").replace(/^\s*(?:[-*]|\d+\.)\s+/, ""));
    // The title of a paragraph, in bold letters, stands before its first sentence.
    const without = sentences.map((line) => line.replace(/^\*\*[^*]+\*\*\s*/, ""));
    expect(without.filter((line) => /[.!?][)"_]*\s+[[("_*]*[A-Z]/.test(line))).toEqual([]);
  });

  test("leads to the glossary", () => expect(page === GLOSSARY || read(page).includes("WORDS.md")).toBe(true));
});

test("every word of the glossary is explained in one sentence", () => {
  const words = glossary();
  expect(words.map(({ word }) => word)).toEqual(expect.arrayContaining(TERMS.map(({ word }) => word)));
  expect(words.filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning) || /[.!?]\s+[A-Z]/.test(meaning))).toEqual([]);
});

describe.each(STORIES)("%s", (page) => {
  test.each(TERMS)("explains or links `$word` where it comes first", ({ form }) => {
    const first = prose(read(page)).find((line) => form.test(plain(line)));
    expect(first === undefined || isExplained(first, form)).toBe(true);
  });
});

test("from every page there is a way on", () => {
  const without = STORIES.filter((page) => {
    const last = sectionsOf(read(page)).at(-1);
    return !/^(?:Where to read on|Read on)$/.test(last?.title ?? "") || !/\]\([^)]+\.md/.test(last?.text ?? "");
  });
  expect(without).toEqual([]);
});

/** A line without code, italics and the targets of links. */
function plain(line: string): string {
  const text = line.replaceAll(/`[^`]*`/g, "").replaceAll(/\]\([^)]*\)/g, "]");
  return text.replaceAll(/_([^_]+)_/g, "$1");
}

/** A word is explained where it stands in italics; or it is the text of a link to the glossary. */
function isExplained(line: string, form: RegExp): boolean {
  const marked = [...line.matchAll(/_([^_`]+)_/g), ...line.matchAll(/\[([^\]]+)\]\([^)]*WORDS\.md\)/g)];
  return marked.some(([, text = ""]) => form.test(text));
}
