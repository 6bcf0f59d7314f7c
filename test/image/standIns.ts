import { copyFile, mkdir, realpath, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { isExecutable } from "../../src/cmd/realClusters/index.ts";
import { CommandFailure, run } from "../envtest/index.ts";

/**
 * Images in the place of the Dockerfile's two bases, made of packages of Debian and of the Node that runs these tests, so that the Dockerfile can be
 * built where no registry of images is. Needs root, mmdebstrap, buildah, and a mirror of Debian.
 */

const NEEDED = ["mmdebstrap", "buildah", "setpriv", "unshare", "npm"];
const SUITE = "bookworm";
const CERTIFICATES = "/etc/ssl/certs/more-certificates.pem";

export const BASE_IMAGE = "localhost/stand-in/base:1";
export const BUILD_IMAGE = "localhost/stand-in/build:1";

/** Why no image can be built here; undefined when one can. */
export async function whyNoImage(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "this takes root on Linux";
  const missing: string[] = [];
  for (const program of NEEDED) if ((await onPath(program)) === undefined) missing.push(program);
  if (missing.length === 0) return undefined;
  const packages = missing.map((program) => (["setpriv", "unshare"].includes(program) ? "util-linux" : program));
  return `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing; on Debian: apt-get install ${[...new Set(packages)].join(" ")}`;
}

async function onPath(program: string): Promise<string | undefined> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const file = join(folder, program);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/** buildah with a store of its own, which goes with its folder. */
export class Buildah {
  readonly env: NodeJS.ProcessEnv;
  readonly #folder: string;

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.env = env;
  }

  static async in(folder: string): Promise<Buildah> {
    const store = join(folder, "storage.conf");
    const driver = process.env["STORAGE_DRIVER"] ?? "vfs";
    const places = [`runroot = "${folder}/run"`, `graphroot = "${folder}/graph"`];
    await writeFile(store, ["[storage]", `driver = "${driver}"`, ...places, ""].join("\n"));
    // No user namespaces and no runtime: what is built here is trusted.
    const env = { ...process.env, CONTAINERS_STORAGE_CONF: store, BUILDAH_ISOLATION: "chroot" };
    return new Buildah(folder, env);
  }

  /** Throws unless it succeeds; its standard output. */
  async ok(...args: string[]): Promise<string> {
    return this.run("buildah", args);
  }

  async run(command: string, args: string[]): Promise<string> {
    const result = await run(command, args, { env: this.env, timeoutMs: 600_000 });
    if (result.code !== 0) throw new CommandFailure(`${command} ${args.join(" ")}`, result);
    return result.stdout.trim();
  }

  /** Makes {@link BASE_IMAGE} and {@link BUILD_IMAGE}. */
  async makeStandIns(): Promise<void> {
    const tar = join(this.#folder, "debian.tar");
    const packages = "--include=ca-certificates,libstdc++6";
    await this.run("mmdebstrap", ["--quiet", "--variant=minbase", packages, SUITE, tar]);
    const base = await this.ok("from", "scratch");
    await this.ok("add", "--quiet", base, tar, "/");
    await this.ok("add", "--quiet", "--chmod", "0755", base, process.execPath, "/nodejs/bin/node");
    await this.ok("commit", "--quiet", base, BASE_IMAGE);
    await this.#addNpm(base);
    await this.ok("commit", "--quiet", base, BUILD_IMAGE);
    await this.ok("rm", base);
  }

  /** With what npm needs here to reach its registry, so that nothing of this machine has to be in the project. */
  async #addNpm(container: string): Promise<void> {
    // npm/bin/npm-cli.js, whatever leads to it.
    const npm = dirname(dirname(await realpath((await onPath("npm")) ?? "")));
    await this.ok("add", "--quiet", container, npm, "/usr/local/lib/node_modules/npm");
    await this.ok("run", container, "--", "sh", "-c", LINKS);
    const files = join(this.#folder, "npm");
    await mkdir(files, { recursive: true });
    const certificates = process.env["NODE_EXTRA_CA_CERTS"];
    if (certificates !== undefined) {
      await this.ok("add", "--quiet", container, certificates, CERTIFICATES);
      await this.ok("config", "--env", `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container);
    }
    for (const [name, target] of Object.entries({ userconfig: "/root/.npmrc", globalconfig: "/usr/local/etc/npmrc" })) {
      const source = await this.run("npm", ["config", "get", name]);
      const copy = join(files, name);
      const found = await copyFile(source, copy).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return false;
          throw error;
        },
      );
      if (found) await this.ok("add", "--quiet", container, copy, target);
    }
  }
}

const LINKS =
  "ln -s /nodejs/bin/node /usr/local/bin/node && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm";
