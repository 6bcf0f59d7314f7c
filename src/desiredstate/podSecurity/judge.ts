import { canonicalJson, isRecord, type KubeObject } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import type { Problem } from "../types.ts";
import { recordsOf } from "./customPods.ts";
import { evaluatePodSecurity } from "./evaluate.ts";
import { ungrantedNames } from "./granted.ts";
import { recordOf, recordsIn } from "./fields.ts";
import { containersOf, type Pod, podsOf } from "./pods.ts";
import type { NamespaceTerms } from "./terms.ts";
import { keyOfViolation, type Violation, wordsOf } from "./violation.ts";

export interface Rendering {
  base: readonly KubeObject[];
  /** All rules that apply, in order: rules of cluster-scoped policies come first. */
  rules: readonly MatchedRule[];
  after: (count: number) => readonly KubeObject[];
  /** Only for a revision: the objects after the administrators' current rules. A recorded change needs these as well. */
  present?: () => readonly KubeObject[];
}

interface Found extends Violation {
  index: number;
  own: NamespaceTerms;
  reason: "PodSecurity" | "NotAllowed";
}

/**
 * Why the rendered objects may not go to a member: they would give the writer of the object, or of a policy in its
 * namespace, more rights than the terms of the namespace. Undefined if they may go.
 *
 * Changes by a ClusterOverridePolicy are the administrators' own decision and are not judged. This holds only while the
 * namespace's own policies leave such pods unchanged, except for the fields that say what a tenant's own container
 * runs.
 */
export function judgeRendering(rendering: Rendering, owner: string, terms: NamespaceTerms): Problem | undefined {
  const { rules, after } = rendering;
  const objects = after(rules.length);
  const violations = violationsIn(objects, terms);
  if (violations.length === 0) return undefined;
  const administrators = rules.filter(isAdministrators).length;
  // The manifest of a bundle that the violation is about.
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
        // Host ports are granted by number, at any level.
        .filter(({ hostPort }) => hostPort === undefined)
        .map((violation) => ({ ...violation, index, own, reason: "PodSecurity" as const })),
    ];
    // Only administrators write cluster-scoped objects on the hub. What merely looks like a pod there is not judged,
    // since no namespace could allow it.
    return own.namespace === "" ? found.filter(({ at }) => at === undefined) : found;
  });
}

function keyOf(found: Found): string {
  return `${found.index} ${keyOfViolation(found)}`;
}

function firstWith(violation: Found, { rules, after }: Rendering, terms: NamespaceTerms): number {
  const key = keyOf(violation);
  for (let count = 0; count < rules.length; count += 1)
    if (violationsIn(after(count), terms).some((found) => keyOf(found) === key)) return count;
  return rules.length;
}

function isAdministrators({ policy }: MatchedRule): boolean {
  return policy.namespace === undefined;
}

/** `by`: the rule at fault; undefined: the object itself. `manifest`: the affected manifest of a bundle. */
function refusal(found: Found, by: MatchedRule | undefined, owner: string, manifest: KubeObject | undefined): Problem {
  const { reason, own } = found;
  const rule = by === undefined ? owner : `${by.policy.kind} ${by.policy.name}, rule ${by.index}`;
  const who = manifest === undefined ? rule : `${rule}, ${manifest.kind} ${manifest.metadata.name}`;
  return {
    reason,
    message: wordsOf(found, own, who),
    ...(by === undefined ? {} : { policy: by.policy }),
  };
}

/** True if a tenant's container named a volume in advance that the administrators bring, and that is not meant for it. */
function isMountedByTenant({ field, index, at }: Found, base: readonly KubeObject[]): boolean {
  const [, volume] = /^spec\.volumes\[(.*)\]\.\w+$/.exec(field) ?? [];
  const object = base[index];
  if (volume === undefined || object === undefined) return false;
  // A custom resource may have containers elsewhere than beside the volume.
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

/** Number of the first tenant rule that changes pods which the administrators made more powerful; undefined if none. */
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

/** Fields that a tenant may set in its own container, whatever rights the container has. */
const TENANTS_OWN = new Set(["image", "command", "args", "env", "envFrom", "resources", "imagePullPolicy"]);

function ownContainers(object: KubeObject): ReadonlySet<string> {
  return new Set(podsOf(object).flatMap((pod) => containersOf(pod).map(({ fields }) => nameIn(pod, fields["name"]))));
}

function nameIn({ place }: Pod, name: unknown): string {
  return canonicalJson([place?.at ?? null, name ?? null]);
}

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
