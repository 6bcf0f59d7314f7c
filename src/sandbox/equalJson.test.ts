import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalJson, sharing } from "./equalJson.ts";

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe("sharing", () => {
  test("gives the old value when nothing changed", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const old = copy(value);
        expect(sharing(copy(value), old)).toBe(old);
      }),
    );
  });

  test("gives the new value, whatever the old one was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, old) => {
        expect(sharing(value, old)).toEqual(value);
        expect(equalJson(value, old)).toBe(
          JSON.stringify(sharing(value, old)) === JSON.stringify(value) && sharing(value, old) === old,
        );
      }),
    );
  });

  test("keeps the parts that are equal", () => {
    const old = { spec: { a: [1, 2] }, status: { b: 1 } };
    const next = sharing({ spec: { a: [1, 2] }, status: { b: 2 } }, old);
    expect(next.spec).toBe(old.spec);
    expect(next.status).toEqual({ b: 2 });
  });

  test("takes a field of any name for a field", () => {
    const named = (text: string): unknown => JSON.parse(text);
    const value = named('{"__proto__": {"a": 1}, "b": 2}');
    const shared = sharing(value, named('{"b": 2}'));
    expect(JSON.stringify(shared)).toBe('{"__proto__":{"a":1},"b":2}');
    expect(sharing(named('{"__proto__": {"a": 1}, "b": 2}'), value)).toBe(value);
    expect(sharing(named('{"__proto__": {}}'), {})).not.toEqual({});
  });

  test("notices what went away", () => {
    const old: Record<string, unknown> = { a: 1, b: 2 };
    expect(sharing({ a: 1 }, old)).toEqual({ a: 1 });
    expect(sharing({ a: 1, b: undefined }, old)).toEqual({ a: 1 });
  });
});
