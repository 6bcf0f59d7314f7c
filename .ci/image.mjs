/**
 * Builds the image of the Dockerfile with buildah, docker or podman, whichever is there, and pushes it when asked to:
 *
 *   npm run image -- --tag registry.example.com/platform/meridian:0.1.0
 *   npm run image -- --tag registry.example.com/platform/meridian:0.1.0 --push
 *
 * `--build-image` and `--base-image` name other base images, of a mirror for example; `--engine` one of the three; what follows a second `--`
 * goes to the build as it is. Runs on any Node from 20, and needs no package.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** In the order in which they are tried, each with a command that answers only where it can build. */
const ENGINES = {
  buildah: ["version"],
  docker: ["version", "--format", "{{.Server.Version}}"],
  podman: ["version"],
};
const USAGE = `usage: npm run image -- [--tag NAME:TAG]... [--push] [--build-image IMAGE] [--base-image IMAGE] [--engine ${Object.keys(ENGINES).join("|")}] [-- MORE]`;

class UsageError extends Error {}

try {
  process.exitCode = main();
} catch (error) {
  if (!(error instanceof UsageError) && !String(error.code).startsWith("ERR_PARSE_ARGS")) throw error;
  console.error(`image: ${error.message}`);
  process.exitCode = 2;
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      tag: { type: "string", multiple: true, default: [`meridian:${version}`] },
      push: { type: "boolean", default: false },
      "build-image": { type: "string" },
      "base-image": { type: "string" },
      engine: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  checkTags(values);
  const engine = engineNamed(values.engine) ?? engineHere();
  const built = run(engine, buildArguments(engine, values, positionals));
  if (built !== 0) return built;
  for (const tag of values.push ? values.tag : []) {
    const pushed = run(engine, ["push", tag]);
    if (pushed !== 0) {
      console.error(
        `image: ${tag} is built and not pushed: log in with \`${engine} login ${tag.split("/")[0]}\` if it asks who you are`,
      );
      return pushed;
    }
  }
  console.error(`image: ${values.push ? "pushed" : "built"} ${values.tag.join(", ")} with ${engine}`);
  return 0;
}

/** A name without a registry would be pushed to whatever the engine takes for its own. */
function checkTags({ tag: tags, push }) {
  for (const tag of tags) {
    const [registry, ...rest] = tag.split("/");
    const named = rest.length > 0 && /[.:]|^localhost$/.test(registry);
    if (push && !named) {
      throw new UsageError(
        `--push needs a tag with its registry, and ${tag} has none: --tag registry.example.com/platform/${tag}`,
      );
    }
    if (!/:[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(tag)) {
      throw new UsageError(`${tag} has no tag: --tag ${tag}:${version}`);
    }
  }
}

function buildArguments(engine, values, more) {
  // Every time in the image is that of the commit: the same commit gives the same layers.
  const epoch = git("log", "-1", "--format=%ct") ?? "0";
  const commit = git("rev-parse", "HEAD");
  const changed = (git("status", "--porcelain", "--untracked-files=no") ?? "") !== "";
  const given = {
    SOURCE_DATE_EPOCH: epoch,
    VERSION: version,
    REVISION: commit === undefined ? "unknown" : `${commit}${changed ? "-dirty" : ""}`,
    BUILD_IMAGE: values["build-image"],
    BASE_IMAGE: values["base-image"],
  };
  return [
    "build",
    ...Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : ["--build-arg", `${name}=${value}`],
    ),
    ...(engine === "docker" ? [] : ["--timestamp", epoch]),
    ...values.tag.flatMap((tag) => ["--tag", tag]),
    ...more,
    ".",
  ];
}

function engineNamed(name) {
  if (name === undefined) return undefined;
  if (!Object.hasOwn(ENGINES, name))
    throw new UsageError(`--engine ${name}: it is one of ${Object.keys(ENGINES).join(", ")}`);
  const why = whyNot(name);
  if (why !== undefined) throw new UsageError(`${name} ${why}`);
  return name;
}

function engineHere() {
  const missing = [];
  for (const name of Object.keys(ENGINES)) {
    const why = whyNot(name);
    if (why === undefined) return name;
    missing.push(`${name} ${why}`);
  }
  throw new UsageError(
    `nothing here can build an image: ${missing.join("; ")}. Install one of them (on Debian: apt-get install buildah), or build on another machine`,
  );
}

/** Undefined when the engine can build. */
function whyNot(engine) {
  const { error, status, stderr } = spawnSync(engine, ENGINES[engine], { encoding: "utf8" });
  if (error?.code === "ENOENT") return "is not installed";
  if (error !== undefined) return `cannot be started (${error.message})`;
  if (status === 0) return undefined;
  const said = stderr.trim().split("\n").at(-1) ?? "";
  return `is installed and cannot build (${said || `it exits with ${status}`})`;
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/** Undefined outside of a repository, as in an unpacked archive. */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
