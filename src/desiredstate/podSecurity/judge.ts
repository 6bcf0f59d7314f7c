import { canonicalJson, isRecord, type KubeObject, shortName } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import type { Problem } from "../types.ts";
import { recordsOf } from "./customPods.ts";
import { evaluatePodSecurity } from "./evaluate.ts";
import { ungrantedNames } from "./granted.ts";
import { recordOf, recordsIn } from "./fields.ts";
import { containersOf, type Pod, podsOf } from "./pods.ts";
import type { NamespaceTerms } from "./terms.ts";
import { keyOfViolation, type Violation } from "./violation.ts";
import { wordsOf } from "./words.ts";

/** What one cluster's rules have made of a hub object, and how it came about. */
export interface Rendering {
  /** What the hub object alone becomes. */
  base: readonly KubeObject[];
  /** All rules that apply, in their order: those of the cluster's administrators come first. */
  rules: readonly MatchedRule[];
  /** What the first so many rules make of it. */
  after: (count: number) => readonly KubeObject[];
  /**
   * Of a revision: what the administrators' rules of now make of the object there. What their rules of then bring counts as theirs as far as
   * these bring it too.
   */
  present?: () => readonly KubeObject[];
}

interface Found extends Violation {
  index: number;
  /** The terms that it is a violation of. */
  own: NamespaceTerms;
  reason: "PodSecurity" | "NotAllowed";
}

/**
 * Why what was rendered may not go to a member: it would give whoever wrote the object, or a policy in its namespace, more there than
 * the terms of the namespace. Undefined when it may.
 *
 * What a ClusterOverridePolicy brings is the administrators' own decision and is not judged, for as long as the namespace's own policies leave
 * the pods as the administrators made them, but for what a tenant's own container runs.
 */
export function judgeRendering(rendering: Rendering, owner: string, terms: NamespaceTerms): Problem | undefined {
  const { rules, after } = rendering;
  const objects = after(rules.length);
  const violations = violationsIn(objects, terms);
  if (violations.length === 0) return undefined;
  const administrators = rules.filter(isAdministrators).length;
  // Of many objects that one has brought, the one that it is about.
  const manifestOf = ({ index }: Found): KubeObject | undefined =>
    terms.of === undefined ? undefined : objects[index];
  const present = rendering.present && new Set(violationsIn(rendering.present(), terms).map(keyOf));
  let exempt: Found | undefined;
  for (const violation of violations) {
    const count = firstWith(violation, rendering, terms);
    const isTenants = count === 0 || count > administrators;
    const isTakenBack = present !== undefined && !present.has(keyOf(violation));
    if (isTenants || isTakenBack || isMountedByTenant(violation, rendering.base))
      return refusal(violation, isTenants || isTakenBack ? rules[count - 1] : undefined, owner, manifestOf(violation));
    exempt ??= violation;
  }
  const meddling = exempt === undefined ? undefined : firstChange(rendering, administrators);
  if (exempt === undefined || meddling === undefined) return undefined;
  return refusal(exempt, rules[meddling - 1], owner, manifestOf(exempt));
}

function violationsIn(objects: readonly KubeObject[], terms: NamespaceTerms): Found[] {
  return objects.flatMap((object, index) => {
    const own = terms.of?.(object) ?? terms;
    const found = [
      ...ungrantedNames(object, own).map((violation) => ({ ...violation, index, own, reason: "NotAllowed" as const })),
      ...evaluatePodSecurity(object, own.security)
        // Granted or not by its number, whatever the level.
        .filter(({ hostPort }) => hostPort === undefined)
        .map((violation) => ({ ...violation, index, own, reason: "PodSecurity" as const })),
    ];
    // Who writes cluster-scoped objects on the hub is no tenant, and has no namespace on which to allow what only looks like a pod.
    return own.namespace === "" ? found.filter(({ at }) => at === undefined) : found;
  });
}

function keyOf(found: Found): string {
  return `${found.index} ${keyOfViolation(found)}`;
}

/** After how many rules the violation is there for the first time; 0 when the object itself brings it. */
function firstWith(violation: Found, { rules, after }: Rendering, terms: NamespaceTerms): number {
  const key = keyOf(violation);
  for (let count = 0; count < rules.length; count += 1)
    if (violationsIn(after(count), terms).some((found) => keyOf(found) === key)) return count;
  return rules.length;
}

function isAdministrators({ policy }: MatchedRule): boolean {
  return policy.namespace === undefined;
}

/** `by`: the rule that did it; undefined for the object itself. `manifest`: that of a bundle which it is about. */
function refusal(found: Found, by: MatchedRule | undefined, owner: string, manifest: KubeObject | undefined): Problem {
  const { reason, own } = found;
  const whoIn = (limit: number): string => {
    const who =
      by === undefined
        ? shortName(owner, limit)
        : `${by.policy.kind} ${shortName(by.policy.name, limit)}, rule ${by.index}`;
    if (manifest === undefined) return who;
    const what = `${manifest.kind} ${shortName(manifest.metadata.name, limit)}`;
    // The bundle is where the refusal stands.
    return by === undefined && limit !== Infinity ? what : `${who}, ${what}`;
  };
  return {
    reason,
    ...wordsOf(found, own, whoIn),
    ...(by === undefined ? {} : { policy: by.policy }),
  };
}

/** A volume that the administrators bring is not for a container that had named it in advance. */
function isMountedByTenant({ field, index, at }: Found, base: readonly KubeObject[]): boolean {
  const [, volume] = /^spec\.volumes\[(.*)\]\.\w+$/.exec(field) ?? [];
  const object = base[index];
  if (volume === undefined || object === undefined) return false;
  // What has a volume in a custom resource may have its containers elsewhere.
  const places =
    at === undefined
      ? podsOf(object)
          .flatMap(containersOf)
          .map(({ fields }) => fields)
      : recordsOf(object);
  for (const fields of places)
    for (const mounts of ["volumeMounts", "volumeDevices"])
      if (recordsIn(fields[mounts]).some(({ name }) => String(name) === volume)) return true;
  return false;
}

/** The first rule of a tenant, by its number, that changes pods which the administrators made more powerful; undefined when none does. */
function firstChange({ base, rules, after }: Rendering, administrators: number): number | undefined {
  const own = base.map(ownContainers);
  const shapeOf = (count: number): string =>
    canonicalJson(
      after(count).map((object, index) => podsOf(object).map((pod) => shape(pod, own[index] ?? new Set()))),
    );
  const made = shapeOf(administrators);
  for (let count = administrators + 1; count <= rules.length; count += 1) if (shapeOf(count) !== made) return count;
  return undefined;
}

/** What a tenant says of his own container, whatever the container may do. */
const TENANTS_OWN = new Set(["image", "command", "args", "env", "envFrom", "resources", "imagePullPolicy"]);

function ownContainers(object: KubeObject): ReadonlySet<string> {
  return new Set(podsOf(object).flatMap((pod) => containersOf(pod).map(({ fields }) => nameIn(pod, fields["name"]))));
}

/** The name of a container among all of the object. */
function nameIn({ place }: Pod, name: unknown): string {
  return canonicalJson([place?.at ?? null, name ?? null]);
}

/** A pod without what a tenant may change in it. */
function shape(pod: Pod, own: ReadonlySet<string>): unknown {
  const spec: Record<string, unknown> = { ...pod.spec };
  for (const field of ["initContainers", "containers"]) {
    const list = spec[field];
    if (!Array.isArray(list)) continue;
    spec[field] = list.map((container: unknown) =>
      isRecord(container) && own.has(nameIn(pod, container["name"])) ? withoutTenantsOwn(container) : container,
    );
  }
  return { at: pod.place?.at, spec, annotations: recordOf(pod.annotations) };
}

function withoutTenantsOwn(container: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(container).filter(([field]) => !TENANTS_OWN.has(field)));
}
