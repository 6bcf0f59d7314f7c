import { type Condition, isRecord, type KubeObject, namesText, versionsOf } from "../../apis/index.ts";
import { type CheckResult, Checking, HUB } from "./result.ts";

/** The CRDs on the hub, compared with those that this program brings along. Pure. */

const CHECK = "Definitions";
const UPGRADE = "run `meridian install`, or `helm upgrade` where Helm installed Meridian";

/** `live`: by name. */
export function checkDefinitions(shipped: readonly KubeObject[], live: ReadonlyMap<string, KubeObject>): CheckResult {
  const checking = new Checking(CHECK, HUB);
  const missing = shipped.map(({ metadata }) => metadata.name).filter((name) => !live.has(name));
  if (missing.length === shipped.length) {
    checking.error("NotInstalled", "the hub has none of Meridian's kinds", "run `meridian install`");
    return checking.result("Meridian is not installed");
  }
  if (missing.length > 0) checking.error("DefinitionMissing", `the hub lacks ${namesText(missing)}`, UPGRADE);
  for (const wanted of shipped) {
    const found = live.get(wanted.metadata.name);
    if (found !== undefined) checkDefinition(wanted, found, checking);
  }
  return checking.result(`${live.size} of ${shipped.length} kinds are installed`);
}

function checkDefinition(wanted: KubeObject, live: KubeObject, checking: Checking): void {
  const { name, deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined)
    checking.error(
      "DefinitionDeleting",
      `${name} is being deleted since ${deletionTimestamp}, with all its objects`,
      "let the deletion end, then run `meridian install`; Meridian holds the copies on members until a person agrees",
    );
  const refused = conditionsOf(live).find(({ type, status }) => type === "NamesAccepted" && status === "False");
  const isEstablished = conditionsOf(live).some(({ type, status }) => type === "Established" && status === "True");
  if (refused !== undefined)
    checking.error(
      "NamesTaken",
      `${name} is not served: ${refused.message}`,
      "remove the other kind that has these names",
    );
  else if (!isEstablished)
    checking.error(
      "DefinitionNotServed",
      `${name} is not served yet`,
      `wait a moment; else see \`kubectl describe crd ${name}\``,
    );
  checkVersions(wanted, live, checking);
  const lacking = lackingFields(wanted, live);
  if (lacking.length > 0)
    checking.warning("DefinitionIncomplete", `${name} lacks ${namesText(lacking, 3)} of this version`, UPGRADE);
}

function checkVersions(wanted: KubeObject, live: KubeObject, checking: Checking): void {
  const { name } = live.metadata;
  const present = new Map(versionsOf(live).map((version) => [version.name, version]));
  const storage = versionsOf(wanted).find((version) => version.storage)?.name;
  const absent = versionsOf(wanted).filter((version) => !present.has(version.name));
  if (absent.length > 0) {
    const names = namesText(absent.map((version) => version.name));
    checking.error("VersionMissing", `${name} lacks the version ${names}`, UPGRADE);
  }
  const stored = [...present.values()].find((version) => version.storage)?.name;
  if (storage !== undefined && stored !== undefined && stored !== storage)
    checking.error("StorageVersion", `${name} stores objects as ${stored}, and this program as ${storage}`, UPGRADE);
  const { storedVersions = [] } = (live["status"] ?? {}) as { storedVersions?: readonly string[] | null };
  const earlier = (storedVersions ?? []).filter((version) => version !== stored);
  if (earlier.length > 0)
    checking.warning(
      "StoredVersions",
      `objects of ${name} may still be stored as ${namesText(earlier)}`,
      "let a manager with webhooks run: it rewrites them, and no version may be dropped before",
    );
}

/** Undefined conditions are written as null at first. */
function conditionsOf({ status }: KubeObject): readonly Condition[] {
  return ((status ?? {}) as { conditions?: readonly Condition[] | null }).conditions ?? [];
}

/** Paths of fields that the live schemas lack; of a field that is absent, its own fields are not named. */
function lackingFields(wanted: KubeObject, live: KubeObject): string[] {
  const schemas = new Map(schemasOf(live));
  const lacking = new Set<string>();
  for (const [version, schema] of schemasOf(wanted)) {
    const there = schemas.get(version);
    if (there !== undefined) compare(schema, there, "", lacking);
  }
  return [...lacking];
}

function schemasOf({ spec }: KubeObject): [version: string, schema: unknown][] {
  const { versions = [] } = (spec ?? {}) as { versions?: { name: string; schema?: { openAPIV3Schema?: unknown } }[] };
  return versions.map(({ name, schema }) => [name, schema?.openAPIV3Schema]);
}

function compare(wanted: unknown, live: unknown, path: string, lacking: Set<string>): void {
  if (!isRecord(wanted)) return;
  const there = isRecord(live) ? live : {};
  const { properties, items, additionalProperties } = wanted;
  const present = isRecord(there["properties"]) ? there["properties"] : {};
  for (const [field, schema] of Object.entries(isRecord(properties) ? properties : {})) {
    const at = path === "" ? field : `${path}.${field}`;
    if (field in present) compare(schema, present[field], at, lacking);
    else lacking.add(at);
  }
  compare(items, there["items"], `${path}[]`, lacking);
  compare(additionalProperties, there["additionalProperties"], `${path}.*`, lacking);
}
