import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INSIDE } from "../lint/folders.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const ORDER =
  "apis interpreter scheduler override rollout desiredstate status observability certificates runtime ports hub clusters controllers webhooks query dashboard sandbox cmd".split(
    " ",
  );
const PURE = [...ORDER.slice(0, 7), "ports"];

interface Fixture {
  name: string;
  /** Where the text stands, below the root. */
  file: string;
  text: string;
  /** The rule that refuses it; undefined when it is fine. */
  refusedBy?: string;
}

const ORDER_RULE = "meridian(module-order)";
const IMPORTS = "eslint(no-restricted-imports)";
const GLOBALS = "eslint(no-restricted-globals)";
const PROPERTIES = "eslint(no-restricted-properties)";
const TIME = "meridian(no-ambient-time)";

/** In every room with folders: each one with the next. */
const insideRooms: Fixture[] = Object.entries(INSIDE).flatMap(([room, entries]) => {
  const folders = entries.filter((entry) => !entry.endsWith(".ts"));
  return folders.slice(1).flatMap((above, index): Fixture[] => {
    const below = folders[index] as string;
    return [
      {
        name: `${room}/${below} imports ${above}, which stands above it`,
        file: `src/${room}/${below}/upward.ts`,
        text: `export * from "../${above}/index.ts";\n`,
        refusedBy: ORDER_RULE,
      },
      {
        name: `${room}/${above} imports ${below}`,
        file: `src/${room}/${above}/downward.ts`,
        text: `export * from "../${below}/index.ts";\n`,
      },
      {
        name: `${room}/${above} imports past the index of ${below}`,
        file: `src/${room}/${above}/past.ts`,
        text: `export * from "../${below}/within.ts";\n`,
        refusedBy: ORDER_RULE,
      },
      {
        name: `${room} imports a folder that is in no list`,
        file: `src/${room}/unlisted.ts`,
        text: `export * from "./elsewhere/index.ts";\n`,
        refusedBy: ORDER_RULE,
      },
    ];
  });
});

const fixtures: Fixture[] = [
  ...insideRooms,
  ...ORDER.slice(0, -1).map((module, index) => ({
    name: `${module} imports ${ORDER[index + 1]}, which stands below it`,
    file: `src/${module}/downward.ts`,
    text: `export * from "../${ORDER[index + 1]}/index.ts";\n`,
    refusedBy: ORDER_RULE,
  })),
  ...ORDER.slice(1)
    .filter((module) => module !== "sandbox")
    .map((module) => ({
      name: `${module} imports what stands above it`,
      file: `src/${module}/upward.ts`,
      text: ORDER.slice(0, ORDER.indexOf(module))
        // The members' side imports names of the runtime, and not all of them.
        .filter((above) => module !== "clusters" || !["hub", "runtime"].includes(above))
        .filter((above) => above !== "sandbox")
        .map(
          (above, index) => `import * as m${index} from "../${above}/index.ts";\nexport const n${index} = m${index};\n`,
        )
        .join(""),
    })),
  {
    name: "a command imports the sandbox",
    file: "src/cmd/playing.ts",
    text: 'export * from "../sandbox/index.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "the quickstart imports the sandbox",
    file: "src/cmd/quickstart/playing.ts",
    text: 'export * from "../../sandbox/index.ts";\n',
  },
  {
    name: "the sandbox imports the runtime",
    file: "src/sandbox/sharing.ts",
    text: 'export * from "../runtime/index.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "the sandbox imports the runtime's types only",
    file: "src/sandbox/sharingTypes.ts",
    text: 'export type * from "../runtime/types.ts";\n',
    refusedBy: ORDER_RULE,
  },
  ...["hub", "controllers"].map((module) => ({
    name: `a worker imports ${module}, of which it knows two ports`,
    file: `src/clusters/${module}Side.ts`,
    text: `export * from "../${module}/index.ts";\n`,
    refusedBy: ORDER_RULE,
  })),
  {
    name: "a worker reads MemberClusters",
    file: "src/clusters/readingMembers.ts",
    text: 'export { MEMBERCLUSTERS } from "../runtime/index.ts";\n',
    refusedBy: IMPORTS,
  },
  {
    name: "a worker writes Secrets of its member",
    file: "src/clusters/write/writingSecrets.ts",
    text: 'export { SECRETS } from "../../runtime/index.ts";\n',
  },
  {
    name: "a connection reads Secrets",
    file: "src/clusters/connection/readingSecrets.ts",
    text: 'import { SECRETS } from "../../runtime/index.ts";\nexport const read = SECRETS;\n',
    refusedBy: IMPORTS,
  },
  {
    name: "a worker imports types of the hub",
    file: "src/clusters/hubTypes.ts",
    text: 'export type * from "../hub/types.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "a worker imports the hub late",
    file: "src/clusters/hubLate.ts",
    text: 'export const later = import("../hub/index.ts");\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "a file in a folder of a module imports downward",
    file: "src/scheduler/filters/deep.ts",
    text: 'export * from "../../runtime/index.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "a test imports downward",
    file: "src/scheduler/downward.test.ts",
    text: 'export * from "../runtime/index.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "a dynamic import leads downward",
    file: "src/runtime/dynamic.ts",
    text: 'export const later = import("../cmd/index.ts");\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "the code uses a part of its own module that is there for tests",
    file: "src/runtime/own.ts",
    text: 'export * from "./testing/fakeClock.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "the code uses the builders of the tests",
    file: "src/clusters/builders.ts",
    text: 'export * from "../../test/builders/index.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "a test uses the builders of the tests",
    file: "src/clusters/built.test.ts",
    text: 'export * from "../../test/builders/index.ts";\n',
  },
  {
    name: "another module is imported past its index",
    file: "src/clusters/past.ts",
    text: 'export * from "../runtime/client.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "the types of another module are imported",
    file: "src/clusters/typesOnly.ts",
    text: 'export type * from "../runtime/types.ts";\n',
  },
  {
    name: "the code uses what is there for tests",
    file: "src/clusters/testing.production.ts",
    text: 'export * from "../runtime/testing/fakeClock.ts";\n',
    refusedBy: ORDER_RULE,
  },
  {
    name: "a test uses what is there for tests",
    file: "src/clusters/tested.test.ts",
    text: 'export * from "../runtime/testing/fakeClock.ts";\n',
  },
  {
    name: "a module imports its own parts",
    file: "src/runtime/credentials/own.ts",
    text: 'export * from "../core/index.ts";\n',
  },
  ...PURE.flatMap((module): Fixture[] => [
    {
      name: `${module} imports node:fs`,
      file: `src/${module}/nodeFs.ts`,
      text: 'export { readFileSync } from "node:fs";\n',
      refusedBy: IMPORTS,
    },
    {
      name: `${module} imports fs`,
      file: `src/${module}/fs.ts`,
      text: 'export { readFile } from "fs/promises";\n',
      refusedBy: IMPORTS,
    },
    {
      name: `${module} reads the environment`,
      file: `src/${module}/environment.ts`,
      text: "export const e = process.env;\n",
      refusedBy: GLOBALS,
    },
    {
      name: `${module} starts a timer`,
      file: `src/${module}/timer.ts`,
      text: "export const t = setTimeout(() => undefined, 1);\n",
      refusedBy: GLOBALS,
    },
    {
      name: `${module} fetches`,
      file: `src/${module}/fetching.ts`,
      text: 'export const f = () => fetch("https://127.0.0.1");\n',
      refusedBy: GLOBALS,
    },
    {
      name: `${module} throws dice`,
      file: `src/${module}/dice.ts`,
      text: "export const d = Math.random();\n",
      refusedBy: PROPERTIES,
    },
    {
      name: `${module} reads the clock by Date.now`,
      file: `src/${module}/dateNow.ts`,
      text: "export const n = Date.now();\n",
      refusedBy: TIME,
    },
    {
      name: `${module} reads the clock by a new Date`,
      file: `src/${module}/newDate.ts`,
      text: "export const n = new Date();\n",
      refusedBy: TIME,
    },
    {
      name: `${module} writes and reads times that it was given`,
      file: `src/${module}/given.ts`,
      text: 'export const t = (ms: number) => new Date(ms).toISOString();\nexport const p = Date.parse("2026-01-01T00:00:00Z");\n',
    },
    {
      name: `a test of ${module} reads a file`,
      file: `src/${module}/reads.test.ts`,
      text: 'export { readFileSync } from "node:fs";\n',
    },
  ]),
  { name: "the clusters read the clock", file: "src/clusters/clock.ts", text: "export const n = Date.now();\n" },
  {
    name: "a promise is left alone",
    file: "src/cmd/floating.ts",
    text: "async function work(): Promise<void> {}\nexport function start(): void {\n  work();\n}\n",
    refusedBy: "typescript(no-floating-promises)",
  },
  {
    name: "any is used",
    file: "src/cmd/anything.ts",
    text: "export const a = (x: any): unknown => x;\n",
    refusedBy: "typescript(no-explicit-any)",
  },
  {
    name: "files import each other in a circle",
    file: "src/cmd/circleA.ts",
    text: 'import { b } from "./circleB.ts";\nexport const a = (): number => b();\n',
    refusedBy: "import(no-cycle)",
  },
  {
    name: "(the other half of the circle)",
    file: "src/cmd/circleB.ts",
    text: 'import { a } from "./circleA.ts";\nexport const b = (): number => a();\n',
    refusedBy: "import(no-cycle)",
  },
  {
    name: "the circle is one of types alone",
    file: "src/cmd/typesA.ts",
    text: 'import type { B } from "./typesB.ts";\nexport interface A {\n  b?: B;\n}\n',
    refusedBy: "import(no-cycle)",
  },
  {
    name: "(the other half of the circle of types)",
    file: "src/cmd/typesB.ts",
    text: 'import type { A } from "./typesA.ts";\nexport interface B {\n  a?: A;\n}\n',
    refusedBy: "import(no-cycle)",
  },
  {
    name: "a file is longer than anybody reads at once",
    file: "src/cmd/long.ts",
    text: `export const lines = [\n${"  1,\n".repeat(499)}];\n`,
    refusedBy: "eslint(max-lines)",
  },
  {
    name: "a test is, blank lines and comments counted",
    file: "src/cmd/long.test.ts",
    text: `export const line = 1;\n${"\n// Nothing.\n".repeat(250)}`,
    refusedBy: "eslint(max-lines)",
  },
  {
    name: "a file has 500 lines",
    file: "src/cmd/fitting.ts",
    text: `export const lines = [\n${"  1,\n".repeat(498)}];\n`,
  },
  {
    name: "a function has more than 80 lines",
    file: "src/cmd/longFunction.ts",
    text: `export function f(): void {\n${"  Math.abs(1);\n".repeat(79)}}\n`,
    refusedBy: "eslint(max-lines-per-function)",
  },
  {
    name: "a function has 80 lines",
    file: "src/cmd/fittingFunction.ts",
    text: `export function f(): void {\n${"  Math.abs(1);\n".repeat(78)}}\n`,
  },
  {
    name: "a table of tests has more",
    file: "src/cmd/longTable.test.ts",
    text: `export function f(): void {\n${"  Math.abs(1);\n".repeat(79)}}\n`,
  },
  {
    name: "a case of a union is forgotten",
    file: "src/cmd/forgotten.ts",
    text: 'export function f(x: "a" | "b"): void {\n  switch (x) {\n    case "a":\n      return;\n  }\n}\n',
    refusedBy: "typescript(switch-exhaustiveness-check)",
  },
  {
    name: "something is thrown that is no error",
    file: "src/cmd/thrown.ts",
    text: 'export function f(): never {\n  throw "no";\n}\n',
    refusedBy: "typescript(only-throw-error)",
  },
];

const TSCONFIG = {
  compilerOptions: {
    module: "nodenext",
    target: "es2024",
    types: [],
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
  },
  include: ["src"],
};

describe("the linter", () => {
  let root = "";
  const found = new Map<string, Set<string>>();

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "meridian-lint-"));
    for (const path of [".oxlintrc.json", "test/lint"])
      await cp(join(ROOT, path), join(root, path), { recursive: true });
    await writeFile(join(root, "tsconfig.json"), JSON.stringify(TSCONFIG));
    for (const { file, text } of fixtures) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    }
    const { diagnostics } = JSON.parse(await lint(root)) as { diagnostics: { filename: string; code: string }[] };
    for (const { filename, code } of diagnostics) {
      const codes = found.get(filename) ?? new Set();
      found.set(filename, codes.add(code));
    }
  }, 120_000);

  afterAll(() => rm(root, { recursive: true, force: true }));

  test.each(fixtures)("$name: $refusedBy", ({ file, refusedBy }) => {
    expect([...(found.get(file) ?? [])]).toEqual(refusedBy === undefined ? [] : [refusedBy]);
  });
});

/** What oxlint has to say, as JSON; its exit code of 1 only repeats that there is something. */
function lint(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const programs = join(ROOT, "node_modules/.bin");
    // The type-aware part is looked for on the path.
    const env = { ...process.env, PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}` };
    execFile(
      join(programs, "oxlint"),
      ["--format", "json"],
      { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (stdout.startsWith("{")) resolve(stdout);
        else reject(new Error(`oxlint said nothing: ${stderr}`, { cause: error }));
      },
    );
  });
}
