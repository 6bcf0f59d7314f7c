import {
  CLASS_PATTERN,
  classOf,
  CONTROLLER_CLASS_LABEL,
  DEFAULT_REPLICA_BOUNDS,
  type DemoApplication,
  FEDERATION_GROUP,
  type FieldProblem,
  holdsOldApprovals,
  type KubeObject,
  type MemberCluster,
  notCarriedOut,
  type OverridePolicy,
  PAAS_GROUP,
  parseObject,
  type Placement,
  refuseEndpoint,
  ROLLOUT_APPROVALS_ANNOTATION,
  ROLLOUT_COMMAND_ANNOTATION,
} from "../../apis/index.ts";
import { healthProblems } from "../../interpreter/index.ts";
import { approvalOf } from "./approvals.ts";
import { judgeBundle, warnOfBundle } from "./bundles.ts";
import { judgeChoice, warnOfChoice, warnOfTargets } from "./choice.ts";
import { judgeDeletion } from "./deletion.ts";
import { judgePatches } from "./patches.ts";
import { judgeDependencies, judgeSelectors } from "./policies.ts";
import { judgePorts } from "./ports.ts";
import { judgeRendering } from "./rendering.ts";
import { judgeOverriddenReplicas, judgeReplicas } from "./replicas.ts";
import type { AdmissionFacts, AdmissionRequest, Judgement } from "./types.ts";
import { warnOfVersions } from "./versions.ts";

/** An update is refused only for problems that it adds: newer rules and lost grants do not block what was stored. */
export function judgeRequest(request: AdmissionRequest, facts: AdmissionFacts, now: number): Judgement {
  const { operation, object, oldObject } = request;
  if (operation === "DELETE") {
    const problems = oldObject === null || oldObject === undefined ? [] : judgeDeletion(oldObject, facts);
    return { problems, warnings: [] };
  }
  if (object === null || object === undefined || object.metadata?.deletionTimestamp !== undefined) return ALL_WELL;
  const judgement = judgeObject(request, object, facts, now);
  if (operation !== "UPDATE" || oldObject === null || oldObject === undefined) return judgement;
  return added(judgeObject(request, oldObject, facts, now), judgement);
}

/** Problems by the schema, in words that say what to change. The server itself would only show a pattern. */
export function judgeShape(request: AdmissionRequest): Judgement {
  const { operation, object, oldObject, subResource } = request;
  const skipped = operation === "DELETE" || isGiven(subResource);
  if (skipped || !object || object.metadata?.deletionTimestamp !== undefined) return ALL_WELL;
  const judgement: Judgement = { problems: shapeProblems(object), warnings: [] };
  if (operation !== "UPDATE" || !oldObject) return judgement;
  return added({ problems: shapeProblems(oldObject), warnings: [] }, judgement);
}

const ALL_WELL: Judgement = { problems: [], warnings: [] };

function isGiven(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}

function shapeProblems(object: KubeObject): FieldProblem[] {
  const parsed = parseObject(object);
  return [...(parsed.ok ? [] : parsed.problems), ...classProblems(object)];
}

/** No manager serves an invalid class, so the object would keep its owner for ever, or get none. */
function classProblems({ metadata }: KubeObject): FieldProblem[] {
  const name = classOf(metadata ?? {});
  if (CLASS_PATTERN.test(name)) return [];
  const message = `${name} is no class: it looks like v2, at most 40 lower-case letters, digits and "-"; without the label it is the default class`;
  return [{ field: `metadata.labels[${CONTROLLER_CLASS_LABEL}]`, message }];
}

function judgeObject(
  { kind, subResource, namespace }: AdmissionRequest,
  given: KubeObject,
  facts: AdmissionFacts,
  now: number,
): Judgement {
  if (subResource === "scale") {
    const { replicas } = (given["spec"] ?? {}) as { replicas?: unknown };
    return noting(facts, judgeReplicas("spec.replicas", replicas, facts.replicaBounds));
  }
  if (isGiven(subResource)) return ALL_WELL;
  // The namespace of the request counts, also if the object leaves its namespace out.
  const object =
    namespace === undefined || namespace === ""
      ? given
      : { ...given, metadata: { ...given.metadata, namespace: given.metadata.namespace ?? namespace } };
  const parsed = parseObject(object);
  if (!parsed.ok) return { problems: parsed.problems, warnings: [] };
  const judged = judgeParsed(kind, parsed.object, facts, now);
  return { ...judged, problems: [...outdatedApprovals(object), ...judged.problems] };
}

function judgeParsed(
  kind: AdmissionRequest["kind"],
  object: KubeObject,
  facts: AdmissionFacts,
  now: number,
): Judgement {
  if (kind.group === PAAS_GROUP && kind.kind === "DemoApplication") {
    return judgeApplication(object as unknown as DemoApplication, facts, now);
  }
  if (kind.group !== FEDERATION_GROUP) return ALL_WELL;
  switch (kind.kind) {
    case "MemberCluster":
      return judgeCluster(object as unknown as MemberCluster, facts);
    case "ManifestBundle":
      return judgedBundle(object, facts);
    case "Placement":
    case "ClusterPlacement":
      return judgePlacement(object, facts);
    case "OverridePolicy":
      return noting(
        facts,
        [...judgeOverrides(object, facts), ...judgeOverriddenReplicas(object, facts.replicaBounds)],
        warnOfTargets(object as unknown as OverridePolicy, facts.clusters),
      );
    case "ClusterOverridePolicy":
      return {
        problems: judgeOverrides(object, facts),
        warnings: warnOfTargets(object as unknown as OverridePolicy, facts.clusters),
      };
    default:
      return ALL_WELL;
  }
}

/** A client of an earlier release writes approvals here: it would report success, and nothing would follow. */
function outdatedApprovals(object: KubeObject): FieldProblem[] {
  if (!holdsOldApprovals(object.metadata.annotations?.[ROLLOUT_COMMAND_ANNOTATION])) return [];
  const message = `approvals in it count no more; remove them, and approve with \`${approvalOf(object)}\` of this release, which writes ${ROLLOUT_APPROVALS_ANNOTATION}`;
  return [{ field: `metadata.annotations[${ROLLOUT_COMMAND_ANNOTATION}]`, message }];
}

function judgePlacement(policy: KubeObject, { servedKinds, clusters, placements }: AdmissionFacts): Judgement {
  const placement = policy as unknown as Placement;
  const problems = [
    ...judgeSelectors(policy, servedKinds),
    ...judgeDependencies(policy, servedKinds),
    ...healthProblems(placement.spec.health ?? []),
    ...judgeChoice(placement),
  ];
  const warnings = [
    // The API accepts fields that a later version carries out.
    ...notCarriedOut(placement.spec).map(
      (field) => `${field} is taken, but this version of Meridian does not carry it out`,
    ),
    ...warnOfChoice(placement, clusters),
    ...warnOfVersions(policy, servedKinds, placements),
  ];
  return { problems, warnings };
}

function judgeOverrides(policy: KubeObject, facts: AdmissionFacts): FieldProblem[] {
  return [
    ...judgeSelectors(policy, facts.servedKinds),
    ...judgePatches(policy),
    ...judgeRendering(policy as unknown as OverridePolicy, facts),
  ];
}

function judgeApplication(application: DemoApplication, facts: AdmissionFacts, now: number): Judgement {
  const { problems, warnings } = judgePorts(application, facts, now);
  const replicas = judgeReplicas("spec.replica", application.spec.replica, facts.replicaBounds);
  return noting(facts, [...replicas, ...problems], warnings);
}

function judgeCluster(cluster: MemberCluster, facts: AdmissionFacts): Judgement {
  const endpoint = facts.endpoint(cluster);
  switch (endpoint.kind) {
    case "Unknown":
      return ALL_WELL;
    case "Missing":
      return {
        problems: [],
        warnings: [
          `Secret ${endpoint.secret} is not in Meridian's namespace yet; the cluster is not used before it is`,
        ],
      };
    case "Server": {
      const message = refuseEndpoint(endpoint.server);
      const field = "spec.connection.kubeconfigSecretRef";
      return {
        problems: message === undefined ? [] : [{ field, message: `the server of its kubeconfig: ${message}` }],
        warnings: [],
      };
    }
  }
}

/** Adds a warning when the namespace's replica bounds are unreadable and the default bounds were used. */
function noting({ unreadableBounds }: AdmissionFacts, problems: FieldProblem[], warnings: string[] = []): Judgement {
  if (unreadableBounds === undefined) return { problems, warnings };
  const { least, most } = DEFAULT_REPLICA_BOUNDS;
  const warning = `the namespace's replica bounds "${unreadableBounds}" are not of the form ${least}-${most}, so ${least} to ${most} holds; ask the platform to correct them`;
  return { problems, warnings: [...warnings, warning] };
}

/** `after` without the problems that `before` has too. */
function added(before: Judgement, after: Judgement): Judgement {
  const known = new Set(before.problems.map(({ field, message }) => `${field}: ${message}`));
  return { ...after, problems: after.problems.filter(({ field, message }) => !known.has(`${field}: ${message}`)) };
}

function judgedBundle(bundle: KubeObject, facts: AdmissionFacts): Judgement {
  const problems = judgeBundle(bundle, facts);
  return { problems, warnings: problems.length === 0 ? warnOfBundle(bundle, facts) : [] };
}
