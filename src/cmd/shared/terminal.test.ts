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
  function terminal(interactive: boolean): Terminal & { shown: string } {
    return {
      shown: "",
      out: () => undefined,
      err(text) {
        this.shown += text;
      },
      color: false,
      interactive,
    };
  }

  test("overwrites one line of a terminal and takes it away", () => {
    const screen = terminal(true);
    {
      using progress = new Progress(screen);
      progress.show("one");
      progress.show("one");
      progress.show("two");
    }
    expect(screen.shown).toBe("\r\u001b[2Kone\r\u001b[2Ktwo\r\u001b[2K");
  });

  test("writes nothing when nobody watches", () => {
    const file = terminal(false);
    {
      using progress = new Progress(file);
      progress.show("one");
    }
    expect(file.shown).toBe("");
  });
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
