import type { FieldProblem, KubeObject, MemberCluster } from "../../apis/index.ts";
import { DELETION_PROTECTION_LABEL } from "../wellknown.ts";
import type { AdmissionFacts, ApplicationFacts } from "./types.ts";

const SHOWN = 3;

/** Reasons to refuse the deletion of an object. */
export function judgeDeletion(object: KubeObject, facts: AdmissionFacts): FieldProblem[] {
  return [...judgeProtection(object, facts), ...judgeMember(object, facts)];
}

/** Every value except `false` protects: a person who wrote "yes" meant protection. */
export function isProtected(labels: Readonly<Record<string, string>> | undefined): boolean {
  const value = labels?.[DELETION_PROTECTION_LABEL];
  return value !== undefined && value !== "false";
}

function judgeProtection({ kind, metadata }: KubeObject, facts: AdmissionFacts): FieldProblem[] {
  const { name, namespace } = metadata;
  const field = `metadata.labels[${DELETION_PROTECTION_LABEL}]`;
  if (isProtected(metadata.labels)) {
    const where = namespace === undefined ? "" : ` -n ${namespace}`;
    const command = `kubectl label ${kind.toLowerCase()} ${name}${where} ${DELETION_PROTECTION_LABEL}-`;
    return [
      { field, message: `the label protects ${kind} ${name} from deletion; if it may go, remove it first: ${command}` },
    ];
  }
  if (kind !== "Namespace") return [];
  const inside = facts.protectedIn(name);
  if (inside.length === 0) return [];
  const message = `${list(inside)} in it ${inside.length === 1 ? "is" : "are"} protected from deletion; remove the label there first`;
  return [{ field, message }];
}

/** A MemberCluster with placed applications may be deleted only with a `deletionPolicy`, which says what becomes of them. */
function judgeMember(object: KubeObject, facts: AdmissionFacts): FieldProblem[] {
  if (object.kind !== "MemberCluster") return [];
  const { metadata, spec } = object as unknown as MemberCluster;
  if (spec.deletionPolicy !== undefined) return [];
  const placed = facts.applicationsOn(metadata.name);
  if (placed.length === 0) return [];
  const message =
    `${list(placed)} ${placed.length === 1 ? "is" : "are"} placed on ${metadata.name}; say what is to become of what runs there: ` +
    `set it to Drain (deleted from the member) or Orphan (left running), or use "meridian unjoin ${metadata.name} --drain" or "--orphan"`;
  return [{ field: "spec.deletionPolicy", message }];
}

function list(applications: readonly ApplicationFacts[]): string {
  const [first] = applications;
  const isOneKind = applications.every(({ kind }) => kind === first?.kind);
  const names = applications.slice(0, SHOWN).map(({ kind, metadata: { namespace, name } }) => {
    const path = namespace === undefined ? name : `${namespace}/${name}`;
    return isOneKind ? path : `${kind} ${path}`;
  });
  const more = applications.length > SHOWN ? ` and ${applications.length - SHOWN} more` : "";
  const kinds = isOneKind && first !== undefined ? `${first.kind}${applications.length === 1 ? "" : "s"} ` : "";
  return `${kinds}${names.join(", ")}${more}`;
}
