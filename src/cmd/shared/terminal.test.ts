import { afterEach, describe, expect, test } from "vitest";
import { formatTable, Progress, systemTerminal, type Terminal } from "./terminal.ts";

test("a table aligns by what is shown, not by colour codes, and has no spaces at line ends", () => {
  expect(
    formatTable(
      ["A", "BB"],
      [
        [{ text: "long", tone: "bad" }, "x"],
        ["s", ""],
      ],
      true,
    ),
  ).toBe("A      BB\n\u001b[31mlong\u001b[0m   x\ns\n");
});

describe("progress", () => {
  /** What two texts, one of them twice, leave on a terminal or in a file. */
  function shown(interactive: boolean): string {
    let text = "";
    const terminal: Terminal = { out: () => undefined, err: (more) => void (text += more), color: false, interactive };
    {
      using progress = new Progress(terminal);
      for (const step of ["one", "one", "two"]) progress.show(step);
    }
    return text;
  }

  test("overwrites one line of a terminal and takes it away", () =>
    expect(shown(true)).toBe("\r\u001b[2Kone\r\u001b[2Ktwo\r\u001b[2K"));

  test("writes nothing when nobody watches", () => expect(shown(false)).toBe(""));
});

describe("colours", () => {
  const before = process.stdout.isTTY;
  afterEach(() => {
    process.stdout.isTTY = before;
  });

  test.each([
    { tty: true, env: {}, color: true },
    { tty: true, env: { NO_COLOR: "1" }, color: false },
    { tty: true, env: { TERM: "dumb" }, color: false },
    { tty: false, env: {}, color: false },
  ])("terminal $tty, environment $env: $color", ({ tty, env, color }) => {
    process.stdout.isTTY = tty;
    expect(systemTerminal(env).color).toBe(color);
  });
});
