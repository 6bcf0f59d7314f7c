import { copyFile, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { buildMeridian, REPOSITORY, run } from "../envtest/index.ts";

beforeAll(buildMeridian, 60_000);

/** The files that a bundle was made of, as its source map has them. */
async function sourcesOf(bundle: string): Promise<string[]> {
  const map = JSON.parse(await readFile(join(REPOSITORY, "dist", `${bundle}.map`), "utf8")) as { sources: string[] };
  return map.sources.map((source) => source.replace(/^(\.\.\/)+/, ""));
}

/** What only the quickstart needs: clusters to play with, and what they are built on. */
const QUICKSTART_ONLY = /^src\/(sandbox|cmd\/realClusters|cmd\/quickstart)\/|node_modules\/re2js\//;
/** What the command line itself must know of it: its declaration, and where it is. */
const KNOWN = ["src/cmd/quickstart/load.ts", "src/cmd/quickstart/verb.ts"];

describe("the program that the image holds", () => {
  test("is built of nothing that only the quickstart needs", async () => {
    const sources = await sourcesOf("meridian.js");
    expect(sources).toContain("src/cmd/manager/manager.ts");
    expect(sources.filter((source) => QUICKSTART_ONLY.test(source)).toSorted()).toEqual(KNOWN);
  });

  test("names no package in its licences that it does not hold", async () => {
    const licences = await readFile(join(REPOSITORY, "dist/LICENSES.txt"), "utf8");
    expect(licences).toMatch(/^undici /m);
    expect(licences).not.toMatch(/^re2js /m);
  });

  test("says what is missing when it is asked for the quickstart and stands alone", async () => {
    await using folder = await temporaryFolder("meridian-alone-");
    const program = join(folder.path, "meridian.mjs");
    await copyFile(join(REPOSITORY, "dist/meridian.js"), program);
    const { code, stderr } = await run(process.execPath, [program, "quickstart", "--once"]);
    expect(stderr).toMatch(/^meridian: this copy of Meridian comes without the quickstart/);
    expect(stderr.trim()).not.toContain("\n");
    expect(code).toBe(2);
  });
});

describe("the program under another name", () => {
  const PROGRAM = join(REPOSITORY, "dist/meridian.js");

  test("is a plugin of kubectl, and answers kubectl's question about what may come next", async () => {
    await using folder = await temporaryFolder("meridian-plugin-");
    const called = async (name: string, ...args: string[]) => {
      const link = join(folder.path, name);
      await symlink(PROGRAM, link).catch(() => undefined);
      return run(process.execPath, [link, ...args]);
    };
    expect(Object.keys(packageJson.bin)).toEqual(["meridian", "kubectl-meridian", "kubectl_complete-meridian"]);
    expect((await called("kubectl-meridian", "--help")).stdout).toMatch(/^Usage: kubectl meridian /);
    expect((await called("kubectl-meridian", "join")).stderr).toContain('see "kubectl meridian join --help"');
    expect((await called("kubectl_complete-meridian", "un")).stdout).toMatch(
      /^uninstall\t.*\nunjoin\t.*\nuncordon\t.*\n:4\n$/,
    );
  });

  test("completes in bash what a person has begun to type", async () => {
    const complete = async (...words: string[]) => {
      const script = [
        `meridian() { "${process.execPath}" "${PROGRAM}" "$@"; }`,
        "source <(meridian completion bash)",
        'COMP_WORDS=(meridian "$@")',
        "COMP_CWORD=$#",
        "__meridian_complete",
        `printf '%s\\n' "\${COMPREPLY[@]}"`,
      ].join("\n");
      const { stdout } = await run("bash", ["-c", script, "bash", ...words]);
      return stdout.trim().split("\n");
    };
    expect(await complete("un")).toEqual(["uninstall", "unjoin", "uncordon"]);
    expect(await complete("status", "-o", "")).toEqual(["wide", "json", "yaml", "name"]);
    expect(await complete("status", "--wa")).toEqual(["--watch", "--wait"]);
  });
});

describe("the bundle of the quickstart", () => {
  test("holds the sandbox", async () => {
    const sources = await sourcesOf("quickstart.js");
    expect(sources).toContain("src/sandbox/cluster.ts");
    const licences = await readFile(join(REPOSITORY, "dist/LICENSES.quickstart.txt"), "utf8");
    expect(licences).toMatch(/^re2js /m);
  });

  test("says what is wrong as the program does", async () => {
    const quickstart = async (...more: string[]) =>
      run(process.execPath, ["dist/meridian.js", "quickstart", "--regions", "99", ...more]);
    const { code, stderr } = await quickstart();
    expect(stderr).toBe("meridian: there are 12 regions in placements/, not 99: give --regions 12 or less\n");
    expect(code).toBe(2);
    expect((await quickstart("--log-level", "debug")).stderr).toMatch(/\n\s+at chooseRegions/);
  });
});
