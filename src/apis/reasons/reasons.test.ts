import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REASON_GROUPS, REASONS } from "./reasons.ts";

const SRC = join(import.meta.dirname, "../..");

/** Not ours: the sandbox and the kubelet imitate the reasons of Kubernetes, the runtime reads those of API servers. */
const OTHERS = /^(sandbox|runtime)\/|^cmd\/realClusters\/|\.test\.ts$|(^|\/)(testing|testdata)(\/|\.ts$)/;
/** Lists of reasons for people; a reason that stands only there is given by nobody. */
const LISTS = ["apis/reasons/reasons.ts", "apis/reference/statusWords.ts"];
const sources = globSync("**/*.ts", { cwd: SRC })
  .filter((path) => !OTHERS.test(path) && !LISTS.includes(path))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));

/** Where a literal is a reason: a field, a variable or a parameter `reason`, or the first argument of a function that takes one. */
const GIVEN = [
  /(?<![.\w])reason["']?\??(?:\s*:|\s*=(?![=>])|\s*\?\?)\s*((?:\$\{[^}]*\}|[^,;}\n)])*)/g,
  /\b(?:fits|refuses|refused|unusable|notScheduled|RuleError|CredentialsError)\(\s*([^,;\n]*),/g,
];
/** Refused requests, and their causes, have the codes of Kubernetes. */
const OF_KUBERNETES: ReadonlySet<string> = new Set([
  ...[
    "FieldValueInvalid",
    "BadRequest",
    "Forbidden",
    "NotFound",
    "Expired",
    "TooManyRequests",
    "InternalError",
    "Unknown",
  ],
]);
/** What a value is compared with in a condition is no reason that is given. */
const COMPARED = /[!=]== *("[^"]*")/g;
const LITERAL = /"([A-Z][A-Za-z0-9]*)"|`([A-Za-z]*)\$\{[^}`]*\}([A-Za-z]*)`/g;

interface Given {
  where: string;
  /** Matches the reasons that the literal may be: one, or those that a template may make. */
  pattern: RegExp;
}

const given: Given[] = sources.flatMap(({ path, text }) =>
  GIVEN.flatMap((form) =>
    [...text.matchAll(form)].flatMap(([, expression = ""]) =>
      [...expression.replaceAll(COMPARED, "").matchAll(LITERAL)].map(([literal, code, before = "", after = ""]) => ({
        where: `${path}: ${literal}`,
        pattern: new RegExp(code === undefined ? `^${before}[A-Za-z]+${after}$` : `^${code}$`),
      })),
    ),
  ),
);

const reasons = Object.keys(REASONS);

describe("the reasons", () => {
  test("are all that the source gives", () => {
    expect(given.length).toBeGreaterThan(60);
    const unknown = given.filter(
      ({ pattern }) => ![...reasons, ...OF_KUBERNETES].some((reason) => pattern.test(reason)),
    );
    expect(unknown.map(({ where }) => where)).toEqual([]);
  });

  test("are all given somewhere", () => {
    const literals = new Set(
      sources.flatMap(({ text }) => [...text.matchAll(/"([A-Z][A-Za-z0-9]*)"/g)].map(([, code]) => code)),
    );
    const unused = reasons.filter(
      (reason) => !literals.has(reason) && !given.some(({ pattern }) => pattern.test(reason)),
    );
    expect(unused).toEqual([]);
  });

  test("stand in one group each, with one sentence", () => {
    const grouped = REASON_GROUPS.flatMap((group) => Object.keys(group.reasons));
    expect(grouped.toSorted()).toEqual(reasons.toSorted());
    for (const [reason, sentence] of Object.entries(REASONS)) {
      expect(reason).toMatch(/^([A-Z][a-z]+)+$/);
      expect(sentence, reason).toMatch(/^[A-Z`].*[^.]\.$/);
      expect(sentence, reason).not.toContain("|");
    }
  });
});
