import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { FollowedLines } from "./followedLines.ts";

const REMARK = "\n[the log ends here, after 900 s; ask again with sinceTime]\n";
const NANOS = 1_000_000_000n;
const START = BigInt(Date.UTC(2026, 0, 31, 14, 2)) * 1_000_000n;

interface Line {
  at: bigint;
  text: string;
}

function stamp({ at, text }: Line): string {
  const second = new Date(Number(at / 1_000_000n)).toISOString().slice(0, 19);
  return `${second}.${String(at % NANOS).padStart(9, "0")}Z ${text}\n`;
}

/** Lines in the order of their times; some have the same time. */
const arbitraryLog = fc
  .array(fc.record({ gap: fc.constantFrom(0n, 1n, 500_000_000n, NANOS), text: fc.stringMatching(/^[a-z ]{0,6}$/) }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((steps) => {
    let at = START;
    return steps.map(({ gap, text }): Line => ({ at: (at += gap), text }));
  });

describe("lines of a followed log", () => {
  test.prop([arbitraryLog, fc.array(fc.nat({ max: 400 }), { maxLength: 8 })])(
    "are all there, and none twice, wherever answers end",
    (log, lengths) => {
      const lines = new FollowedLines();
      let printed = "";
      // The last answer is whole.
      for (const length of [...lengths, Number.POSITIVE_INFINITY]) {
        lines.begin();
        const since = lines.since === undefined ? START : BigInt(Date.parse(lines.since)) * 1_000_000n;
        const whole = log
          .filter(({ at }) => at >= since)
          .map(stamp)
          .join("");
        // The member's own boundaries: a time is never cut.
        const cut = whole.slice(0, length).replace(/(^|\n)[0-9T:.-]*$/, "$1");
        for (const line of (cut.length < whole.length ? `${cut}${REMARK}` : cut).split("\n"))
          printed += lines.take(line) ?? "";
        expect(lines.remark === undefined).toBe(cut.length === whole.length);
      }
      expect(printed).toBe(log.map(({ text }) => text).join(""));
    },
  );

  test("a remark is no line of the container, which stamps its own", () => {
    const lines = new FollowedLines();
    expect(lines.take("2026-01-31T14:02:00Z [the log ends here: no]")).toBe("[the log ends here: no]");
    expect(lines.remark).toBeUndefined();
    expect(lines.take("[the log ends here: yes]")).toBeUndefined();
    expect(lines.remark).toBe("the log ends here: yes");
  });

  test("a time of another zone is the same time", () => {
    const lines = new FollowedLines();
    expect(lines.take("2026-01-31T22:02:00.5+08:00 one")).toBe("one");
    expect(lines.since).toBe("2026-01-31T14:02:00Z");
    lines.begin();
    expect(lines.take("2026-01-31T14:02:00.500000000Z one")).toBeUndefined();
  });
});
