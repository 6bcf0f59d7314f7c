import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { type CommandResult, run } from "../envtest/index.ts";

/** `npm run image`: which engine it takes, what it asks of the engine, and what it says where there is none. */

let folder: AsyncDisposable & { path: string };
let places = 0;

beforeAll(async () => {
  folder = await temporaryFolder("meridian-image-command-");
});
afterAll(async () => folder[Symbol.asyncDispose]());

/** Shell text of each engine that is there; `$1` is its verb. */
type Engines = Record<string, string>;

/** Runs the command where only these engines are; what they were asked is in `asked`. */
async function image(args: string[], engines: Engines): Promise<CommandResult & { asked: string[] }> {
  const bin = join(folder.path, `bin-${places++}`);
  const log = join(bin, "asked");
  await mkdir(bin, { recursive: true });
  await writeFile(log, "");
  for (const [name, text] of Object.entries(engines)) {
    const file = join(bin, name);
    await writeFile(file, `#!/bin/sh\ntest "$1" = version || echo "${name} $*" >>'${log}'\n${text}\n`);
    await chmod(file, 0o755);
  }
  const result = await run(process.execPath, [".ci/image.mjs", ...args], { env: { PATH: bin } });
  const asked = (await readFile(log, "utf8")).split("\n").filter((line) => line !== "");
  return { ...result, asked };
}

const FINE = "exit 0";

describe("npm run image", () => {
  test("is this program", () => expect(packageJson.scripts.image).toBe("node .ci/image.mjs"));

  test("builds with buildah where it is, under the version of the package", async () => {
    const { code, asked } = await image([], { buildah: FINE, docker: FINE });
    expect(code).toBe(0);
    expect(asked).toHaveLength(1);
    const { version } = packageJson;
    expect(asked[0]).toMatch(
      new RegExp(`^buildah build .*--build-arg VERSION=${version} .*--tag meridian:${version} \\.$`),
    );
  });

  test("goes on to docker where buildah cannot build, and names other base images", async () => {
    const args = ["--tag", "r.example.com/a/m:1", "--base-image", "r.example.com/base:1", "--build-image", "b:1"];
    const { code, asked } = await image(args, { buildah: "exit 125", docker: FINE });
    expect(code).toBe(0);
    expect(asked[0]).toMatch(
      /^docker build .*BUILD_IMAGE=b:1 .*BASE_IMAGE=r\.example\.com\/base:1 .*--tag r\.example\.com\/a\/m:1 \.$/,
    );
  });

  test("pushes what it built, under every name", async () => {
    const args = ["--push", "--tag", "r.example.com/a/m:1", "--tag", "localhost:5000/m:1", "--", "--network", "host"];
    const { code, asked, stderr } = await image(args, { podman: FINE });
    expect(code).toBe(0);
    expect(asked[0]).toContain(" --network host .");
    expect(asked.slice(1)).toEqual(["podman push r.example.com/a/m:1", "podman push localhost:5000/m:1"]);
    expect(stderr).toContain("pushed r.example.com/a/m:1, localhost:5000/m:1 with podman");
  });

  test("says how to log in when the registry refuses", async () => {
    const refusing = 'test "$1" != push';
    const { code, stderr } = await image(["--push", "--tag", "r.example.com/a/m:1"], { docker: refusing });
    expect(code).toBe(1);
    expect(stderr).toContain("r.example.com/a/m:1 is built and not pushed: log in with `docker login r.example.com`");
  });

  test("says what is missing where nothing can build", async () => {
    const { code, stderr } = await image([], { docker: "echo 'Cannot connect to the Docker daemon' >&2; exit 1" });
    expect(code).toBe(2);
    expect(stderr).toBe(
      "image: nothing here can build an image: buildah is not installed; docker is installed and cannot build (Cannot connect to the Docker daemon); podman is not installed. Install one of them (on Debian: apt-get install buildah), or build on another machine\n",
    );
  });

  test.each([
    [["--push"], "--push needs a tag with its registry"],
    [["--push", "--tag", "platform/meridian:1"], "--push needs a tag with its registry"],
    [["--tag", "r.example.com/meridian"], `has no tag: --tag r.example.com/meridian:${packageJson.version}`],
    [["--engine", "kaniko"], "it is one of buildah, docker, podman"],
    [["--engine", "podman"], "podman is not installed"],
    [["--bogus"], "Unknown option '--bogus'"],
  ])("refuses %j in one line", async (args, says) => {
    const { code, stderr, asked } = await image(args, { docker: FINE });
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/^image: [^\n]+\n$/);
    expect(asked).toEqual([]);
  });
});
