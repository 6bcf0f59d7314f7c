/**
 * Builds `dist/meridian.js`: the whole program in one file for Node 24, with the CRDs beside it and the licences of everything that is in
 * it. Nothing needs to be installed to run it.
 */
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const OUT = "dist";

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT);
const { metafile } = await build({
  entryPoints: ["src/cmd/main.ts"],
  outfile: join(OUT, "meridian.js"),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node24",
  sourcemap: true,
  sourcesContent: false,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  // CommonJS packages in the bundle ask for Node's own modules by `require`.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
await chmod(join(OUT, "meridian.js"), 0o755);
await cp("charts/meridian/files/crds", join(OUT, "crds"), { recursive: true });
await cp("LICENSE", join(OUT, "LICENSE"));
const packages = bundledPackages(Object.keys(metafile.inputs));
await writeFile(join(OUT, "LICENSES.txt"), await licences(packages));

const [output] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
console.log(`${OUT}/meridian.js: ${Math.round((output?.bytes ?? 0) / 1024)} KiB with ${packages.length} packages`);

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
