import { spawn } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import type { BundleOptions } from "../options.ts";
import type { CommandContext } from "../connection.ts";
import { CommandError, onOneLine } from "../outcome.ts";

/** Where the manifests of a bundle come from: Helm, kustomize, files. */

const MANIFEST_FILE = /\.(ya?ml|json)$/;

/** Every document that was rendered or read. Throws {@link CommandError} when the program that renders is not there, or refuses. */
export async function documentsOf(
  name: string,
  options: BundleOptions,
  context: Pick<CommandContext, "env" | "signal">,
): Promise<unknown[]> {
  const { helm, kustomize, filename, values, chartVersion, releaseNamespace, namespace } = options;
  if (helm !== undefined) {
    const version = chartVersion === undefined ? [] : ["--version", chartVersion];
    const files = values.flatMap((file) => ["--values", file]);
    const args = ["template", name, helm, "--namespace", releaseNamespace ?? namespace, "--include-crds", ...version];
    const rendered = await output(HELM, [...args, ...files], context);
    return parsed(rendered, `the chart ${helm}`);
  }
  if (kustomize !== undefined) return parsed(await output(KUBECTL, ["kustomize", kustomize], context), kustomize);
  const documents: unknown[] = [];
  for (const { read } of await documentsIn(filename, { recursive: true })) documents.push(...read);
  return documents;
}

/** The documents of each file; `-` is the standard input. Of a folder the files in it, with `recursive` those in its folders too. */
export async function documentsIn(
  files: readonly string[],
  { recursive }: { recursive: boolean },
): Promise<{ from: string; read: unknown[] }[]> {
  const found: { from: string; read: unknown[] }[] = [];
  for (const file of files) {
    if (file === "-") {
      const from = "the standard input";
      found.push({ from, read: parsed(await text(process.stdin), from) });
    } else {
      for (const path of await manifestFiles(file, recursive))
        found.push({ from: path, read: parsed(await readFile(path, "utf8"), path) });
    }
  }
  return found;
}

async function manifestFiles(path: string, recursive: boolean): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read; check the path`, { cause });
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && MANIFEST_FILE.test(entry.name));
  if (files.length === 0) throw new CommandError(`${path} holds no .yaml, .yml or .json file`);
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}

function parsed(yaml: string, from: string): unknown[] {
  // JSON is read a hundred times faster than as the YAML that it is too.
  if (/^\s*[[{]/.test(yaml)) {
    try {
      const value: unknown = JSON.parse(yaml);
      return Array.isArray(value) ? value : [value];
    } catch {
      // A flow mapping of YAML may begin like JSON.
    }
  }
  return parseAllDocuments(yaml).map((document) => {
    const [error] = document.errors;
    if (error !== undefined)
      throw new CommandError(`${from} is no YAML: ${onOneLine(error.message.split("\n")[0] ?? "")}`);
    return document.toJS() as unknown;
  });
}

interface Tool {
  name: string;
  /** Names another program. */
  variable: string;
  install: string;
}

const HELM: Tool = { name: "helm", variable: "HELM", install: "https://helm.sh/docs/intro/install" };
const KUBECTL: Tool = { name: "kubectl", variable: "KUBECTL", install: "https://kubernetes.io/docs/tasks/tools" };

/** What the program prints. */
async function output(
  tool: Tool,
  args: string[],
  { env, signal }: Pick<CommandContext, "env" | "signal">,
): Promise<string> {
  const program = env[tool.variable] || tool.name;
  const child = spawn(program, args, { env, signal, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  try {
    const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    if (code === 0) return out;
    throw new CommandError(`${tool.name} ${args[0]} refuses: ${onOneLine(err) || `exit code ${code}`}`);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new CommandError(
      `${program} is not there: install it (${tool.install}), name it in ${tool.variable}, or render the manifests elsewhere and give them with -f`,
    );
  }
}
