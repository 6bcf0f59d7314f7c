import { type FieldsV1, hashOfText, type KubeObject, parseQuantity } from "../../apis/index.ts";
import { associativeKey, fieldElement, isLeaf, matchesKey } from "./fieldPaths.ts";
import { elementOf, isOwn, pathText, UNOWNED_METADATA } from "./ownership.ts";
import { type Fields, isFields } from "../values.ts";

/** Longer texts of ConfigMaps and Secrets are kept as hashes. */
const LONGEST_KEPT = 256;

/** Hash in place of a long text. */
class Condensed {
  readonly #hash: string;

  constructor(text: string) {
    this.#hash = hashOfText(text);
  }

  isOf(text: unknown): boolean {
    return typeof text === "string" && hashOfText(text) === this.#hash;
  }
}

/** Parts of a member object that {@link alteredFields} needs: no status, and hashes instead of long texts. */
export function evidenceOf(live: KubeObject): KubeObject {
  const { status: _, ...evidence } = live;
  if (live.kind === "ConfigMap" || live.kind === "Secret") {
    for (const map of ["data", "binaryData"]) {
      const texts = live[map];
      if (isFields(texts)) evidence[map] = condensed(texts);
    }
  }
  return evidence as KubeObject;
}

function condensed(texts: Fields): Fields {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === "string" && text.length > LONGEST_KEPT ? new Condensed(text) : text,
    ]),
  );
}

/** Item of a list; named only when an altered path is printed. */
interface ItemPlace {
  item: unknown;
  index: number;
  element: string;
}

interface Walk {
  path: (string | ItemPlace)[];
  /** The value is base64, perhaps with line breaks, which the server removes. */
  encoded: boolean;
  altered: string[];
}

/**
 * Paths of fields that the manager owns, but that have another value on the member: after a successful apply, a webhook
 * or policy of the member altered them, which does not show in the ownership. `metadata.managedFields` if the manager
 * has no entry.
 *
 * These count as the same value: an equal quantity, a number and its text, an empty value that the server leaves out,
 * and a value that the server fills in for an empty one. Write-only fields are not compared.
 */
export function alteredFields(desired: KubeObject, live: KubeObject, manager: string): string[] {
  const own = live.metadata.managedFields?.find((entry) => isOwn(entry, manager))?.fieldsV1;
  if (own === undefined) return ["metadata.managedFields"];
  const walk: Walk = { path: [], encoded: false, altered: [] };
  const isSecret = desired.kind === "Secret";
  for (const key in desired) {
    if (key === "apiVersion" || key === "kind" || key === "status" || (isSecret && key === "stringData")) continue;
    walk.encoded = key === "binaryData" || (isSecret && key === "data");
    if (key === "metadata") compareMetadata(desired.metadata, live.metadata, own["f:metadata"], walk);
    else compareField(key, desired[key], live[key], own, walk);
  }
  return walk.altered;
}

function compareMetadata(desired: object, live: object, owned: FieldsV1 | undefined, walk: Walk): void {
  if (owned === undefined) return;
  walk.path.push("metadata");
  for (const key in desired) {
    if (!UNOWNED_METADATA.has(key)) compareField(key, (desired as Fields)[key], (live as Fields)[key], owned, walk);
  }
  walk.path.pop();
}

function compareField(key: string, value: unknown, live: unknown, owned: FieldsV1, walk: Walk): void {
  const fields = owned[fieldElement(key)];
  // Another manager took the field, so Meridian does not compare it.
  if (fields === undefined) return;
  walk.path.push(key);
  compare(value, live, fields, walk);
  walk.path.pop();
}

function compare(value: unknown, live: unknown, owned: FieldsV1, walk: Walk): void {
  if (Array.isArray(value)) {
    if (value.length > 0) compareList(value, Array.isArray(live) ? live : [], owned, walk);
  } else if (isFields(value)) {
    const there = fieldsUnless(live);
    if (isLeaf(owned)) {
      if (!holds(there, value, walk)) alteredHere(walk);
    } else for (const key in value) compareField(key, value[key], there[key], owned, walk);
  } else if (!isSame(value, live, walk)) alteredHere(walk);
}

const NOTHING: Fields = Object.freeze({});

function fieldsUnless(live: unknown): Fields {
  return isFields(live) ? live : NOTHING;
}

function compareList(items: readonly unknown[], live: readonly unknown[], owned: FieldsV1, walk: Walk): void {
  if (isLeaf(owned)) {
    if (!holdsList(live, items, walk)) alteredHere(walk);
    return;
  }
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const element = elementOf(item, index, owned);
    const fields = element === undefined ? undefined : owned[element];
    if (element === undefined || fields === undefined) continue;
    walk.path.push({ item, index, element });
    const found = counterpart(item, index, element, live);
    if (found === undefined) alteredHere(walk);
    else compare(item, found, fields, walk);
    walk.path.pop();
  }
}

function counterpart(item: unknown, index: number, element: string, live: readonly unknown[]): unknown {
  const key = associativeKey(element);
  if (key !== undefined) return live.find((candidate) => isFields(candidate) && matchesKey(candidate, key));
  return element.startsWith("v:") ? live.find((candidate) => candidate === item) : live[index];
}

function itemName({ item, index, element }: ItemPlace): string {
  const key = associativeKey(element);
  if (key === undefined || !isFields(item)) return `[${index}]`;
  const said = Object.keys(key).filter((name) => item[name] !== undefined);
  return `[${said.map((name) => `${name}=${String(item[name])}`).join(",")}]`;
}

/** A value that is owned as a whole is still present. Additions by admission do not count. */
function holds(live: Fields, value: Fields, walk: Walk): boolean {
  for (const key in value) {
    const wanted = value[key];
    const there = live[key];
    const isThere = Array.isArray(wanted)
      ? wanted.length === 0 || holdsList(Array.isArray(there) ? there : [], wanted, walk)
      : isFields(wanted)
        ? holds(fieldsUnless(there), wanted, walk)
        : isSame(wanted, there, walk, key);
    if (!isThere) return false;
  }
  return true;
}

/** The items are present. A list of texts or numbers, such as a command line, may not have additions. */
function holdsList(live: readonly unknown[], items: readonly unknown[], walk: Walk): boolean {
  if (!items.some(isFields))
    return live.length === items.length && items.every((item, at) => isSame(item, live[at], walk));
  return items.every((item) =>
    live.some((there) => (isFields(item) ? isFields(there) && holds(there, item, walk) : isSame(item, there, walk))),
  );
}

function isSame(value: unknown, live: unknown, walk: Walk, field = walk.path.at(-1)): boolean {
  if (value === live || value === null || value === undefined || value === "") return true;
  // Go treats a zero value as absent, so the server leaves it out.
  if (live === undefined || live === null) return value === 0 || value === false;
  if (live instanceof Condensed) return live.isOf(walk.encoded ? unbroken(value) : value);
  if (value === 0 && typeof field === "string" && /port$/i.test(field)) return true;
  if (typeof value === "boolean" || typeof live === "boolean") return false;
  const [wanted, there] = [textOf(value), textOf(live)];
  if (wanted === there) return true;
  if (walk.encoded) return unbroken(wanted) === there;
  if (INTEGER.test(wanted) && INTEGER.test(there)) return false;
  return isSameQuantity(parseQuantity(wanted), parseQuantity(there));
}

/** Compared as text: different large integers may be one floating-point number. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Decimal fractions are not exact in binary: `0.3` and `300m` differ in the last digit. */
function isSameQuantity(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function unbroken(value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(/[\r\n]/g, "") : value;
}

function alteredHere({ path, altered }: Walk): void {
  altered.push(pathText(path.map((step) => (typeof step === "string" ? step : itemName(step)))));
}
