import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StateFolder } from "./folder.ts";

let parent: string;
const dir = (): string => join(parent, "state");

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "meridian-folder-test-"));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const open = (fields: Partial<Parameters<typeof StateFolder.open>[0]> = {}): Promise<StateFolder> =>
  StateFolder.open({ dir: dir(), fleet: "sandbox", keep: false, ...fields });

describe("without --dir", () => {
  test("it is temporary and goes with the quickstart", async () => {
    const folder = await StateFolder.open({ fleet: "sandbox", keep: false });
    expect(folder.temporary).toBe(true);
    await folder.save();
    await folder[Symbol.asyncDispose]();
    await expect(access(folder.path)).rejects.toThrow("ENOENT");
  });

  test("it stays when that is wanted", async () => {
    const folder = await StateFolder.open({ fleet: "sandbox", keep: true });
    await folder[Symbol.asyncDispose]();
    expect(folder.temporary).toBe(false);
    expect(await readdir(folder.path)).toEqual([]);
    await rm(folder.path, { recursive: true });
  });
});

describe("with --dir", () => {
  test("no folder can be made in a file system that says the one above is missing", async () => {
    await expect(open({ dir: "/proc/meridian/state" })).rejects.toThrow(
      "--dir /proc/meridian/state cannot be created there: name another folder",
    );
  });

  test("it is made with those above it, for its owner only, and stays", async () => {
    const path = join(parent, "a", "b", "c");
    await using folder = await open({ dir: path });
    expect(folder).toMatchObject({ temporary: false, continued: false, path });
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  test("a later run goes on with what was saved", async () => {
    {
      await using folder = await open();
      folder.state.regions.push("north");
      folder.state.ports["hub"] = 12_345;
      await folder.save();
    }
    await using again = await open();
    expect(again.continued).toBe(true);
    expect(again.state).toEqual({ fleet: "sandbox", regions: ["north"], ports: { hub: 12_345 }, applied: [] });
  });

  test("it is no file, and lies below none", async () => {
    await writeFile(dir(), "");
    await expect(open()).rejects.toThrow(`--dir ${dir()} is a file: name a folder, or a new one`);
    await expect(open({ dir: join(dir(), "inner") })).rejects.toThrow(`--dir ${dir()}/inner lies below a file`);
  });

  test("only one process has it", async () => {
    await using _folder = await open();
    await expect(open()).rejects.toThrow(/runs on .* already/);
  });

  test("it holds one sort of clusters, and is free again after the refusal", async () => {
    await using folder = await open();
    await folder.save();
    await folder[Symbol.asyncDispose]();
    await expect(open({ fleet: "real" })).rejects.toThrow(`${dir()} keeps sandbox clusters, not real control planes`);
    await using again = await open();
    expect(again.continued).toBe(true);
  });

  test.each(["{", "null", "[]", '{"fleet":"moon","regions":[],"applied":[],"ports":{}}', '{"fleet":"real"}'])(
    "a state that reads %j is not overwritten",
    async (text) => {
      await mkdir(dir());
      await writeFile(join(dir(), "quickstart.json"), text);
      await expect(open()).rejects.toThrow("is not what quickstart wrote");
      expect(await readFile(join(dir(), "quickstart.json"), "utf8")).toBe(text);
    },
  );

  test("a path that cannot be a folder is an error with a reason", async () => {
    const long = join(parent, "x".repeat(300));
    await expect(open({ dir: long })).rejects.toMatchObject({
      exitCode: 2,
      message: `the folder ${long} cannot be used, choose another with --dir`,
    });
  });
});

describe("kubeconfigs", () => {
  test("can be read by their owner only", async () => {
    await using folder = await open();
    await folder.write(folder.kubeconfigFile("hub"), "secret");
    expect((await stat(join(dir(), "hub.kubeconfig"))).mode & 0o777).toBe(0o600);
    await folder.write(folder.kubeconfigFile("hub"), "new secret");
    expect(await readFile(join(dir(), "hub.kubeconfig"), "utf8")).toBe("new secret");
  });

  test("of somebody else are not overwritten, those of an earlier run are", async () => {
    await mkdir(dir());
    await writeFile(join(dir(), "north.kubeconfig"), "somebody's");
    await using folder = await open();
    await expect(folder.claim(["hub", "north"])).rejects.toThrow("would be overwritten");
    await folder.save();
    await folder[Symbol.asyncDispose]();
    await using again = await open();
    await expect(again.claim(["hub", "north"])).resolves.toBeUndefined();
  });
});
