import { expect, test } from "vitest";
import { trimEnd } from "./trimEnd.ts";

test.each([
  { text: "https://hub//", want: "https://hub" },
  { text: "https://hub/a", want: "https://hub/a" },
  { text: "//", want: "" },
  { text: "", want: "" },
])("trimEnd($text)", ({ text, want }) => expect(trimEnd(text, "/")).toBe(want));
