import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Metafile, Plugin } from "esbuild";

const PAGE = join(dirname(fileURLToPath(import.meta.url)), "page");

/** The page needs some words of `src/apis`. What it does not need of that room stays out, its schemas above all. */
const onlyNeededOfApis: Plugin = {
  name: "only-needed-of-apis",
  setup(build) {
    build.onResolve({ filter: /^\./ }, async ({ path, pluginData, importer, resolveDir, kind }) => {
      if (pluginData === onlyNeededOfApis) return undefined;
      const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: onlyNeededOfApis });
      if (found.errors.length > 0 || !/[\\/]src[\\/]apis[\\/]/.test(found.path)) return found;
      return { ...found, sideEffects: false };
    });
  },
};

/**
 * Builds the page into a folder: one script and one style, whose names have a hash of their content, and the HTML that
 * names them. Returns what esbuild read and wrote.
 */
export async function buildPage(folder: string): Promise<Metafile> {
  // Loaded only when something is to be built.
  const esbuild = await import("esbuild");
  const { metafile } = await esbuild.build({
    entryPoints: { dashboard: join(PAGE, "main.tsx"), style: join(PAGE, "page.css") },
    entryNames: "[name]-[hash]",
    outdir: folder,
    bundle: true,
    platform: "browser",
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [onlyNeededOfApis],
  });
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const html = await readFile(join(PAGE, "index.html"), "utf8");
  const filled = html
    .replace("{script}", `./${names.find((name) => name.endsWith(".js")) ?? ""}`)
    .replace("{style}", `./${names.find((name) => name.endsWith(".css")) ?? ""}`);
  await writeFile(join(folder, "index.html"), filled);
  return metafile;
}
