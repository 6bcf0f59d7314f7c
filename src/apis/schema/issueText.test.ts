import { describe, expect, test } from "vitest";
import { z } from "zod";
import { issueText } from "./issueText.ts";

function said(schema: z.ZodType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map(issueText) ?? [];
}

describe("what is wrong with a field is said as what to write", () => {
  test.each<{ schema: z.ZodType; value: unknown; want: string }>([
    { schema: z.string(), value: undefined, want: "is missing; give a string" },
    { schema: z.object({}), value: undefined, want: "is missing; give a map" },
    { schema: z.int(), value: "two", want: "must be a number, and is a string" },
    { schema: z.int(), value: 1.5, want: "must be a whole number, and is a number" },
    { schema: z.boolean(), value: "yes", want: "must be true or false, and is a string" },
    { schema: z.array(z.string()), value: {}, want: "must be a list, and is a map" },
    { schema: z.array(z.string()), value: null, want: "must be a list, and is null" },
    { schema: z.enum(["Divided", "Duplicated"]), value: "Split", want: "must be one of Divided, Duplicated" },
    { schema: z.literal("a"), value: "b", want: "must be a" },
    { schema: z.number().min(1), value: 0, want: "must be at least 1" },
    { schema: z.number().max(9), value: 10, want: "must be at most 9" },
    { schema: z.string().min(1), value: "", want: "must have at least 1 character" },
    { schema: z.array(z.string()).min(2), value: [], want: "must have at least 2 entries" },
    { schema: z.union([z.int(), z.string()]), value: {}, want: "must be a number or a string" },
    { schema: z.string().regex(/^a/, "must begin with a"), value: "b", want: "must begin with a" },
  ])("$want", ({ schema, value, want }) => expect(said(schema, value)).toEqual([want]));
});
