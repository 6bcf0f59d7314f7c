import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "../envtest/index.ts";
import { blocksOf, commandsOf, sectionsWithBlocks } from "./commands.ts";
import { isLeftOut, isShown, LEFT_OUT, VISITS } from "./itinerary.ts";

const commands = sectionsWithBlocks().flatMap(({ page, title, blocks }) =>
  blocks
    .filter((block) => !isShown(page, block))
    .flatMap((block) => commandsOf(block).map(({ text }) => ({ page, title, text }))),
);

const visitsOf = ({ page, title, text }: (typeof commands)[number]) =>
  VISITS.filter((visit) => visit.page === page && visit.title === title && (visit.commands?.test(text) ?? true));

test("every command of every page is run by a test, or is left out for a reason", () => {
  expect(commands.length).toBeGreaterThan(80);
  const forgotten = commands.filter(
    (command) => visitsOf(command).length === 0 && !isLeftOut(command.page, command.text),
  );
  expect(forgotten).toEqual([]);
});

test("no walk goes where there is nothing to do", () => {
  const idle = VISITS.filter(
    (visit) => !commands.some((command) => visitsOf(command).includes(visit) && !isLeftOut(command.page, command.text)),
  );
  expect(idle).toEqual([]);
  for (const { by } of VISITS) expect(existsSync(join(REPOSITORY, `test/pages/${by}.test.ts`)), by).toBe(true);
});

test("what is left out is there, and nobody runs it", () => {
  for (const left of LEFT_OUT) {
    expect(
      commands.filter(({ page, text }) => page === left.page && left.commands.test(text)).length,
      left.reason,
    ).toBeGreaterThan(0);
  }
});

describe("commands on a page", () => {
  const parsed = (text: string) => blocksOf(text).map((block) => commandsOf(block).map((command) => command.text));

  test("stand in indented paragraphs and in blocks for a shell", () => {
    expect(parsed("Text\n    goes on.\n\n    a\n    b # c\n\n```sh\nd\n```\n\n```yaml\ne: f\n```\n")).toEqual([
      ["a", "b # c"],
      ["d"],
    ]);
  });

  test("go over several lines", () => {
    expect(parsed("    a \\\n      b\n    for c in d; do\n      e\n    done\n    # f\n    g\n")).toEqual([
      ["a \\\n  b", "for c in d; do\n  e\ndone", "g"],
    ]);
  });

  test("stand behind a prompt, and what they say beneath", () => {
    const [block] = blocksOf("    $ a\n    B   C\n    1   2\n    $ d\n");
    expect(block === undefined ? [] : commandsOf(block)).toEqual([
      { text: "a", shown: ["B   C", "1   2"] },
      { text: "d", shown: [] },
    ]);
  });
});
