import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { definitions, kubernetesVersion } from "../../src/sandbox/kinds/builtin.ts";

/**
 * Writes src/sandbox/protobuf/messages.json: the numbers and types of the fields of the built-in kinds, from the .proto files of the Go modules of
 * that very version of Kubernetes. With `--check` it writes nothing and fails when the file does not say what those say. It needs Go.
 */

const FILE = fileURLToPath(new URL("../../src/sandbox/protobuf/messages.json", import.meta.url));
const MODULES = ["k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver"];

const run = promisify(execFile);

async function moduleFolder(path: string): Promise<string> {
  const version = kubernetesVersion.replace(/^v1/, "v0");
  const { stdout } = await run("go", ["mod", "download", "-json", `${path}@${version}`]);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

interface Field {
  number: number;
  name: string;
  /** As in the file: `[]` before it when it is repeated, `map ` before the type of the values. */
  type: string;
}

/** Messages by their name in OpenAPI: `io.k8s.api.apps.v1.Deployment`. */
type Messages = Map<string, Field[]>;

const SCALARS = new Set(["string", "bytes", "bool", "int32", "int64", "double", "float", "uint32", "uint64"]);
const FIELD = /^\s*(optional|repeated|map)\s*(<\s*string\s*,\s*(\S+)\s*>)?\s*(\S+)(?:\s+(\w+))?\s*=\s*(\d+)\s*;/;

function parse(text: string, messages: Messages): void {
  const packageName = /^package\s+([^;]+);/m.exec(text)?.[1] ?? "";
  const nameOf = (type: string): string => {
    if (SCALARS.has(type)) return type;
    return openApiName(type.startsWith(".") ? type.slice(1) : type.includes(".") ? type : `${packageName}.${type}`);
  };
  let fields: Field[] | undefined;
  for (const line of text.split("\n")) {
    const message = /^message\s+(\w+)\s*\{/.exec(line);
    if (message !== null) {
      fields = [];
      messages.set(nameOf(message[1] as string), fields);
    }
    const field = FIELD.exec(line);
    if (field === null || fields === undefined) continue;
    const [, label, map, value, type, name, number] = field as unknown as [
      string,
      string,
      string?,
      string?,
      string?,
      string?,
      string?,
    ];
    fields.push(
      map === undefined
        ? { number: Number(number), name: name ?? "", type: `${label === "repeated" ? "[]" : ""}${nameOf(type ?? "")}` }
        : { number: Number(number), name: type ?? "", type: `map ${nameOf(value ?? "")}` },
    );
  }
}

/** `k8s.io.api.core.v1.Pod` is `io.k8s.api.core.v1.Pod` there. */
function openApiName(protobufName: string): string {
  return protobufName.replace(/^k8s\.io\./, "io.k8s.").replace("apiextensions_apiserver", "apiextensions-apiserver");
}

function elementOf(type: string): string {
  return type.replace(/^(\[\]|map )/, "");
}

/**
 * The field's name in JSON; `-` for a Go struct that is part of another one, which has a name in protobuf only. Some names differ in their capitals, and those
 * of JSON schemas in more.
 */
function jsonName(owner: string, { name, type }: Field): string {
  const properties = definitions[owner]?.properties;
  if (properties === undefined || Object.hasOwn(properties, name)) return name;
  const plain = (text: string) => text.replaceAll(/[-$]/g, "").toLowerCase();
  const same = Object.keys(properties).find((property) => plain(property) === plain(name));
  if (same !== undefined) return same;
  if (SCALARS.has(type) || type !== elementOf(type)) throw new Error(`${owner} has no field ${name} in its schema`);
  return "-";
}

async function generate(): Promise<Record<string, string[]>> {
  const messages: Messages = new Map();
  for (const path of MODULES) {
    const folder = await moduleFolder(path);
    const { stdout } = await run("find", [folder, "-name", "generated.proto"]);
    for (const file of stdout.trim().split("\n")) parse(await readFile(join(file), "utf8"), messages);
  }
  const reached = new Set<string>();
  const reach = (name: string) => {
    const fields = messages.get(name);
    if (fields === undefined || reached.has(name)) return;
    reached.add(name);
    for (const { type } of fields) reach(elementOf(type));
  };
  for (const name of Object.keys(definitions)) if (!name.endsWith("List")) reach(name);
  return Object.fromEntries(
    [...reached].sort().map((name) => {
      const own = name.slice(0, name.lastIndexOf(".") + 1);
      const fields = (messages.get(name) ?? []).map((field) => {
        const type = field.type.replace(own, ".");
        return `${field.number} ${jsonName(name, field)} ${type}`;
      });
      return [name, fields];
    }),
  );
}

const generated = await generate();
if (!process.argv.includes("--check")) {
  await writeFile(FILE, `${JSON.stringify(generated, undefined, 2)}\n`);
} else if (!isDeepStrictEqual(JSON.parse(await readFile(FILE, "utf8")), generated)) {
  process.stderr.write("src/sandbox/protobuf/messages.json differs from the .proto files; generate it again\n");
  process.exitCode = 1;
}
