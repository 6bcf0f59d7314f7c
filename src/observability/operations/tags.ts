import { parseYaml, YamlError } from "../../apis/index.ts";
import { isSecretKey } from "../logging/index.ts";

const MOST_TAGS = 32;
const KEY = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/;
const LONGEST_VALUE = 256;

/**
 * Reads the static tags of operations events: a YAML or JSON map of short texts, such as `env: prod`. Throws an Error
 * whose message says what is wrong, and quotes no value.
 */
export function parseTags(text: string): Record<string, string> {
  const value = yamlOf(text);
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new Error("holds no map: write tags like `env: prod`");
  const entries = Object.entries(value);
  if (entries.length > MOST_TAGS) throw new Error(`holds ${entries.length} tags: ${MOST_TAGS} are the most`);
  return Object.fromEntries(entries.map(([key, tag]) => [key, tagOf(key, tag)]));
}

function yamlOf(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    const place = error instanceof YamlError ? ` (line ${error.line})` : "";
    throw new Error(`is no YAML${place}: write tags like \`env: prod\``, { cause: error });
  }
}

function tagOf(key: string, value: unknown): string {
  if (!KEY.test(key))
    throw new Error(`has a tag of the name ${JSON.stringify(key.slice(0, 80))}: a name looks like team or cost-center`);
  if (isSecretKey(key)) throw new Error(`has a tag ${key}: secrets do not belong into events, so remove it`);
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw new Error(`has a tag ${key} that is no text: write it like \`${key}: value\``);
  const text = String(value);
  if (text.length > LONGEST_VALUE)
    throw new Error(`has a tag ${key} of ${text.length} characters: ${LONGEST_VALUE} are the most`);
  return text;
}
