import { describe, expect, test } from "vitest";
import type { Terminal } from "../shared/terminal.ts";
import { Screen } from "./screen.ts";

interface Fixture {
  screen: Screen;
  out: () => string;
  err: () => string;
  clock: { now: number };
}

function fixture(fields: Partial<Terminal> = {}, quietOut = false): Fixture {
  const written = { out: "", err: "" };
  const clock = { now: 7_000 };
  const terminal: Terminal = {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    color: false,
    interactive: false,
    ...fields,
  };
  const screen = new Screen({ terminal, quietOut, now: () => clock.now });
  return { screen, out: () => written.out, err: () => written.err, clock };
}

const TTY = { screen: { columns: 80, rows: 24 } };

const ESCAPE = "\u001b";
const SEQUENCES = new RegExp(`${ESCAPE}\\[(\\d+)A\\r|${ESCAPE}\\[J|[\\s\\S]`, "g");

/** What a terminal shows in the end: only the sequences that are used here. */
function shown(text: string): string[] {
  const lines = [""];
  let at = 0;
  for (const [piece, up] of text.matchAll(SEQUENCES)) {
    if (up !== undefined) at -= Number(up);
    else if (piece === "\u001b[J") {
      lines.length = at + 1;
      lines[at] = "";
    } else if (piece === "\n") {
      at += 1;
      lines[at] ??= "";
    } else lines[at] += piece;
  }
  return lines;
}

describe("without a terminal", () => {
  test("steps show the seconds since the start", () => {
    const { screen, out, clock } = fixture();
    screen.step("first");
    clock.now += 12_340;
    screen.step("second");
    expect(out()).toBe("   0.0s  first\n  12.3s  second\n");
  });

  test("nothing is drawn, and no escape sequence written", () => {
    const { screen, out } = fixture();
    screen.draw(["a", "b"]);
    screen.print("text\n");
    expect(screen.size).toBeUndefined();
    expect(out()).toBe("text\n");
  });
});

describe("on a terminal", () => {
  test("a block is replaced in place", () => {
    const { screen, out } = fixture(TTY);
    screen.step("begin");
    screen.draw(["one", "two"]);
    screen.draw(["three"]);
    expect(shown(out())).toEqual(["   0.0s  begin", "three", ""]);
  });

  test("text goes above the block", () => {
    const { screen, out } = fixture(TTY);
    screen.draw(["table"]);
    screen.print("news\n");
    screen.draw(["table 2"]);
    expect(shown(out())).toEqual(["news", "table 2", ""]);
  });

  test("what was settled stays, and the rest comes below", () => {
    const { screen, out } = fixture(TTY);
    screen.draw(["table"]);
    screen.settle();
    screen.step("stopped");
    expect(shown(out())).toEqual(["table", "   0.0s  stopped", ""]);
  });

  test("a terminal that does not say its size is taken for an ordinary one", () => {
    expect(fixture({ screen: { columns: 0, rows: 0 } }).screen.size).toEqual({ columns: 80, rows: 24 });
  });
});

test("when standard output is for a result, everything goes to standard error and nothing is drawn", () => {
  const { screen, out, err } = fixture({ ...TTY, color: true }, true);
  screen.step("begin");
  screen.draw(["table"]);
  expect({ out: out(), err: err(), color: screen.color }).toEqual({ out: "", err: "   0.0s  begin\n", color: false });
});
