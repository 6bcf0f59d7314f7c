/**
 * Builds two files for Node 24 that need nothing installed. `dist/meridian.js` is the program that the image holds: the manager and the
 * command line. `dist/quickstart.js` beside it holds the quickstart with its sandbox, and is loaded by that verb alone. The CRDs, the
 * sample, what `quickstart --real` is built from, the page of the dashboard, and the licences of the packages in each file stand there too. With `--if-stale` it
 * builds only when a source is newer than what is there, and is silent otherwise.
 *
 * A build is made in a folder of its own and moved file by file, the program last: at every moment `dist` holds a whole program, whoever
 * else starts it, runs it or builds it.
 */
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { buildPage } from "./src/dashboard/buildPage.ts";

const OUT = "dist";
const PROGRAM = join(OUT, "meridian.js");
/** Folders that the program reads at run time, by their name beside it. */
const FOLDERS = {
  crds: "charts/meridian/files/crds",
  placements: "placements",
  modules: "src/cmd/realClusters/modules",
};
const SOURCES = ["src", "package.json", ...Object.values(FOLDERS), "build.config.mjs"];

/** Where the program asks for the quickstart, it finds the file beside it, if that is there. */
const siblingQuickstart = {
  name: "sibling-quickstart",
  setup({ onResolve }) {
    onResolve({ filter: /\/entry\.ts$/ }, ({ kind, importer }) =>
      kind === "dynamic-import" && /src[\\/]cmd[\\/]quickstart[\\/]load\.ts$/.test(importer)
        ? { path: "./quickstart.js", external: true }
        : undefined,
    );
  },
};

process.chdir(dirname(fileURLToPath(import.meta.url)));
const started = new Date();
try {
  if (!process.argv.includes("--if-stale")) console.log(await build());
  else if (await isStale()) console.error(await build());
} catch (error) {
  // esbuild has shown each of its own by now, with the lines they are about.
  console.error(Array.isArray(error.errors) ? "meridian: not built" : error);
  process.exitCode = 2;
}

/** Folders count as well: what was removed or renamed leaves its trace only there. */
async function isStale() {
  const built = await stat(PROGRAM).catch(() => undefined);
  if (built === undefined) return true;
  const newer = async (path) => {
    const { mtimeMs } = await stat(path);
    return mtimeMs > built.mtimeMs;
  };
  for (const source of SOURCES) {
    if (await newer(source)) return true;
    if (source.includes(".")) continue;
    const paths = (await readdir(source, { recursive: true })).map((path) => join(source, path));
    if ((await Promise.all(paths.map(newer))).includes(true)) return true;
  }
  return false;
}

/** Returns a line about each file that was built. */
async function build() {
  const folder = await mkdtemp(".dist-");
  try {
    const built = await buildInto(folder);
    // What was edited while this ran is newer than the program, and so not taken for part of it.
    await utimes(join(folder, "meridian.js"), started, started);
    await publish(folder);
    return built.join("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildInto(folder) {
  // Loaded only when something is to be built: a fresh program starts without it.
  const esbuild = await import("esbuild");
  const bundle = async (entryPoints, licenceFile) => {
    const { metafile } = await esbuild.build({
      entryPoints,
      outdir: folder,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node24",
      sourcemap: true,
      sourcesContent: false,
      legalComments: "none",
      // V8 keeps the source in memory, and takes two bytes for each character of it where one stands outside Latin-1: comments have such.
      minifyWhitespace: true,
      // So that the line in a stack trace says something.
      lineLimit: 160,
      metafile: true,
      logLevel: "warning",
      plugins: [siblingQuickstart],
      // CommonJS packages in the bundle ask for Node's own modules by `require`.
      banner: {
        js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
      },
    });
    const packages = bundledPackages(Object.keys(metafile.inputs));
    await writeFile(join(folder, licenceFile), await licences(packages));
    const [name] = Object.keys(entryPoints);
    const { size } = await stat(join(folder, `${name}.js`));
    return `built ${join(OUT, `${name}.js`)}: ${Math.round(size / 1024)} KiB with ${packages.length} packages`;
  };
  const built = [
    await bundle({ meridian: "src/cmd/main.ts" }, "LICENSES.txt"),
    // The reaper outlives a quickstart with real control planes by a moment, and so is a program of its own.
    await bundle(
      { quickstart: "src/cmd/quickstart/entry.ts", reaper: "src/cmd/realClusters/reaper.ts" },
      "LICENSES.quickstart.txt",
    ),
  ];
  built.push(await buildDashboard(folder));
  await chmod(join(folder, "meridian.js"), 0o755);
  for (const [name, source] of Object.entries(FOLDERS)) await cp(source, join(folder, name), { recursive: true });
  await cp("LICENSE", join(folder, "LICENSE"));
  return built;
}

/** The files that the browser loads, in a folder of their own. */
async function buildDashboard(folder) {
  const name = "dashboard";
  await mkdir(join(folder, name));
  const { inputs, outputs } = await buildPage(join(folder, name));
  const packages = bundledPackages(Object.keys(inputs));
  await writeFile(join(folder, "LICENSES.dashboard.txt"), await licences(packages));
  const size = Object.values(outputs).reduce((sum, { bytes }) => sum + bytes, 0);
  return `built ${join(OUT, name)}: ${Math.round(size / 1024)} KiB with ${packages.length} packages`;
}

/** Moves the files to `dist`, each in one step, and removes what no longer belongs there. */
async function publish(folder) {
  const files = await filesIn(folder);
  for (const file of files.filter((name) => name !== "meridian.js")) {
    await mkdir(dirname(join(OUT, file)), { recursive: true });
    await rename(join(folder, file), join(OUT, file));
  }
  await rename(join(folder, "meridian.js"), PROGRAM);
  const left = (await filesIn(OUT)).filter((file) => !files.includes(file));
  await Promise.all(left.map((file) => rm(join(OUT, file), { force: true })));
}

/** Paths below the folder, without folders. */
async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Folders of the packages that files of the bundle come from. */
function bundledPackages(inputs) {
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Throws when a package does not say under which licence it stands. */
async function licences(folders) {
  const sections = await Promise.all(
    folders.map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(file)).sort();
      if (files.length === 0 && typeof license !== "string") throw new Error(`${name} ${version} names no licence`);
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
      return [`${name} ${version} (${license ?? "see below"})`, "", ...texts.map((text) => text.trim())].join("\n");
    }),
  );
  return `${sections.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
