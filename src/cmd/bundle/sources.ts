import { spawn } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isRecord, parseJson, parseYamlDocuments, YamlError } from "../../apis/index.ts";
import { type CommandContext, CommandError, onOneLine } from "../shared/index.ts";
import type { BundleOptions } from "./verb.ts";

/** Sources of a bundle's manifests: Helm, kustomize, files. */

const MANIFEST_FILE = /\.(ya?ml|json)$/;

export interface SourceDocument {
  value: unknown;
  /** `shop.yaml`, or `shop.yaml (document 2, line 14)` in a file with several documents. */
  place: string;
}

/** Throws {@link CommandError} when the rendering program is missing or fails. */
export async function documentsOf(
  name: string,
  options: BundleOptions,
  context: Pick<CommandContext, "env" | "signal">,
): Promise<SourceDocument[]> {
  const { helm, kustomize, filename, values, chartVersion, releaseNamespace, namespace } = options;
  if (helm !== undefined) {
    const version = chartVersion === undefined ? [] : ["--version", chartVersion];
    const files = values.flatMap((file) => ["--values", file]);
    const args = ["template", name, helm, "--namespace", releaseNamespace ?? namespace, "--include-crds", ...version];
    const rendered = await output(HELM, [...args, ...files], context);
    return parsed(rendered, `the chart ${helm}`);
  }
  if (kustomize !== undefined) return parsed(await output(KUBECTL, ["kustomize", kustomize], context), kustomize);
  const documents: SourceDocument[] = [];
  for (const { read } of await documentsIn(filename, { recursive: true })) documents.push(...read);
  return documents;
}

/** The documents of each file; `-` is standard input, and a folder stands for its files. */
export async function documentsIn(
  files: readonly string[],
  { recursive }: { recursive: boolean },
): Promise<{ from: string; read: SourceDocument[] }[]> {
  const found: { from: string; read: SourceDocument[] }[] = [];
  for (const file of files) {
    if (file === "-") {
      const from = "the standard input";
      found.push({ from, read: parsed(await text(process.stdin), from) });
    } else {
      for (const path of await manifestFiles(file, recursive))
        found.push({ from: path, read: parsed(await readFile(path, "utf8").catch(unreadable(path)), path) });
    }
  }
  return found;
}

async function manifestFiles(path: string, recursive: boolean): Promise<string[]> {
  const found = await stat(path).catch(unreadable(path));
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive, withFileTypes: true }).catch(unreadable(path));
  const files = entries.filter((entry) => entry.isFile() && MANIFEST_FILE.test(entry.name));
  if (files.length === 0) throw new CommandError(`${path} holds no .yaml, .yml or .json file`);
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}

function unreadable(path: string): (error: NodeJS.ErrnoException) => never {
  return ({ code = "unknown error" }) => {
    if (code === "ENOENT" || code === "ENOTDIR") throw new CommandError(`${path} does not exist; check the path`);
    throw new CommandError(`${path} cannot be read (${code}); check its owner and mode, or name another one`);
  };
}

function parsed(yaml: string, from: string): SourceDocument[] {
  // Parsing JSON is a hundred times faster than parsing the same text as YAML.
  if (/^\s*[[{]/.test(yaml)) {
    try {
      const value = parseJson(yaml);
      return Array.isArray(value) ? itemsIn(value, from) : [{ value, place: from }];
    } catch {
      // A YAML flow mapping may begin like JSON.
    }
  }
  try {
    const documents = parseYamlDocuments(yaml);
    return documents.map(({ value, line }, at) => ({
      value,
      place: documents.length === 1 ? from : placeIn(from, `document ${at + 1}`, `line ${line}`),
    }));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const place = error.documents === 1 ? from : placeIn(from, `document ${error.document + 1}`);
    throw new CommandError(`${place} is no YAML: ${onOneLine(error.message)}`);
  }
}

/** `shop.yaml (document 2, line 14)`. Extends the brackets of a place that names a document or item already. */
function placeIn(place: string, ...within: string[]): string {
  const more = within.join(", ");
  return / \((document|item) \d+[^)]*\)$/.test(place) ? `${place.slice(0, -1)}, ${more})` : `${place} (${more})`;
}

export function itemsIn(items: readonly unknown[], place: string): SourceDocument[] {
  return items.map((value, i) => ({ value, place: placeIn(place, `item ${i + 1}`) }));
}

/** Undefined for an empty document. Throws {@link CommandError} if the document does not name its kind. */
export function objectIn({
  value,
  place,
}: SourceDocument): (Record<string, unknown> & { apiVersion: string; kind: string }) | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isRecord(value) || typeof value["apiVersion"] !== "string" || typeof value["kind"] !== "string")
    throw new CommandError(`${place} is no Kubernetes object: it lacks apiVersion or kind`);
  return value as ReturnType<typeof objectIn>;
}

interface Tool {
  name: string;
  /** Environment variable that names another program. */
  variable: string;
  install: string;
}

const HELM: Tool = { name: "helm", variable: "HELM", install: "https://helm.sh/docs/intro/install" };
const KUBECTL: Tool = { name: "kubectl", variable: "KUBECTL", install: "https://kubernetes.io/docs/tasks/tools" };

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
