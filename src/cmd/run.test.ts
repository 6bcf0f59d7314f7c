import { expect, test } from "vitest";
import { calledAs } from "./run.ts";

test.each([
  { file: "/opt/meridian/dist/meridian.js", want: { program: "meridian", args: ["status", "-A"] } },
  { file: "/usr/local/bin/meridian", want: { program: "meridian", args: ["status", "-A"] } },
  { file: "/usr/local/bin/kubectl-meridian", want: { program: "kubectl meridian", args: ["status", "-A"] } },
  {
    file: "/usr/local/bin/kubectl_complete-meridian",
    want: { program: "kubectl meridian", args: ["__complete", "status", "-A"] },
  },
])("$file is $want.program", ({ file, want }) => {
  expect(calledAs(["/usr/bin/node", file, "status", "-A"])).toEqual(want);
});
