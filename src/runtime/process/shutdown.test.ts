import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { signalContext, type SignalSource } from "./shutdown.ts";

class FakeProcess extends EventEmitter implements SignalSource {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

describe("signalContext", () => {
  test.each([
    { name: "SIGTERM" as const, code: 143 },
    { name: "SIGINT" as const, code: 130 },
  ])("the first $name aborts, the second ends the process with $code", ({ name, code }) => {
    const source = new FakeProcess();
    let now = 5_000;
    const { signal } = signalContext(source, () => now);
    source.emit(name, name);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: "ShutdownError", message: `stopped by ${name}` });
    now += 300;
    expect(source.exits).toEqual([]);
    source.emit(name, name);
    expect(source.exits).toEqual([code]);
  });

  test("a Ctrl-C that npm passes on once more counts once", () => {
    const source = new FakeProcess();
    let now = 5_000;
    const { signal } = signalContext(source, () => now);
    source.emit("SIGINT", "SIGINT");
    now += 299;
    source.emit("SIGINT", "SIGINT");
    expect(signal.aborted).toBe(true);
    expect(source.exits).toEqual([]);
  });

  test("leaves nothing behind when disposed of", () => {
    const source = new FakeProcess();
    signalContext(source).dispose();
    expect(source.eventNames()).toEqual([]);
  });
});
