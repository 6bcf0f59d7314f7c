import { fullMessage, type KubeObject, type Message, nextStep, policyKey, refKey, refOf } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { imagesOf, podTemplateOf } from "../../interpreter/index.ts";
import { isPlaceable, placementOf, unplacedAmong } from "../plan/index.ts";
import { namesText, refText } from "../shared/index.ts";
import { type Analysis, plannedOf, type Said } from "./analysis.ts";
import { roomFindings } from "./room.ts";

/** Findings about one object of the files. Pure. */

export function objectFindings(object: KubeObject, analysis: Analysis): Said[] {
  const { catalog, state } = analysis;
  if (!isPlaceable(object)) return [];
  if (catalog.servingState(object) === "NotServed") return [notServed(object, analysis)];
  const planned = plannedOf(analysis, object);
  if (planned === undefined) return [];
  const { target } = planned;
  return [
    ...unplaced(object, analysis),
    ...problemsOf(target, object),
    ...notesOf(target, analysis),
    ...divisionFindings(target, object, analysis),
    ...(state.goesAlong(refKey(refOf(object))) && target.clusters.length === 0 ? [] : imageFindings(target, object)),
    ...roomFindings(target, object, analysis),
  ];
}

function notServed({ apiVersion, kind }: KubeObject, { catalog }: Analysis): Said {
  const meant = catalog.servedIn({ apiVersion, kind });
  return {
    code: "KindNotServed",
    severity: "Error",
    what: `the hub serves no ${kind} of ${apiVersion}`,
    remedy: meant === undefined ? "install its CRD on the hub" : `write apiVersion: ${meant}`,
  };
}

function unplaced(object: KubeObject, { state, now }: Analysis): Said[] {
  return unplacedAmong([object], state, (key) => state.goesAlong(key), now).map(({ reason, message, nearly }) => {
    const [near] = nearly;
    const closest =
      near === undefined ? "" : `; the closest is ${refText(near.policy)}: ${near.because.slice(0, 2).join(", ")}`;
    return {
      code: reason,
      severity: "Error",
      what: `it would run nowhere: ${message}${closest}`,
      remedy: stepFor(reason, object),
    };
  });
}

function stepFor(code: string, { kind, metadata }: KubeObject, cluster?: string): string {
  const { namespace } = metadata;
  const named = `${kind.toLowerCase()}/${metadata.name}`;
  const step = nextStep(code, { object: named, namespace, cluster });
  // The object may not be on the hub yet.
  return step.replaceAll(`meridian explain ${named}\``, `meridian explain ${named} -f FILES\``);
}

/** Problems and warnings of clusters, each once with the clusters that have it. */
function problemsOf({ clusters }: Target, object: KubeObject): Said[] {
  const all = clusters.flatMap(({ name, problem, warning }) => [
    ...(problem === undefined ? [] : [{ name, severity: "Error" as const, ...problem }]),
    ...(warning === undefined ? [] : [{ name, severity: "Warning" as const, ...warning }]),
  ]);
  const groups = Map.groupBy(all, ({ severity, reason, message }) => `${severity} ${reason} ${text(message)}`);
  return [...groups.values()].flatMap((group): Said[] => {
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ name }) => name);
    return [
      {
        code: first.reason,
        severity: first.severity,
        what: `on ${namesText(names)}: ${text(first.message)}`,
        remedy: stepFor(first.reason, object, names[0]),
      },
    ];
  });
}

const text = (message: Message): string => fullMessage(message);

/** What the policy asks for and does not get; a policy of the files says so itself. */
function notesOf(target: Target, { state, givenPolicies }: Analysis): Said[] {
  const policy = placementOf(state, target);
  if (policy === undefined || givenPolicies.has(policyKey(policy))) return [];
  return (target.decision.notes ?? []).map((note) => ({
    code: "PartlyEnforced",
    severity: "Warning",
    what: `${refText({ kind: policy.kind, ...policy.metadata })} does not get what it asks for: ${note}`,
    remedy: "ask for less, or let the policy take more clusters",
  }));
}

/** Replicas that do not come out even. */
function divisionFindings(target: Target, object: KubeObject, { state }: Analysis): Said[] {
  const { replicaScheduling } = placementOf(state, target)?.spec ?? {};
  const { clusters } = target.decision;
  if (replicaScheduling?.mode !== "Divided" || clusters.length === 0) return [];
  const shares = clusters.map(({ replicas = 0 }) => replicas);
  const total = shares.reduce((sum, one) => sum + one, 0) + (target.decision.unplaced ?? 0);
  const { replicaStep: step = 1, weights, strategy = "Weighted" } = replicaScheduling;
  const parts = namesText(
    clusters.map(({ name, replicas = 0 }) => `${name} ${replicas}`),
    6,
  );
  const found: Said[] = [];
  const without = target.decision.verdicts
    .filter(({ reason }) => reason === "NoReplicas")
    .map(({ cluster }) => cluster);
  if (without.length > 0)
    found.push({
      code: "ClusterWithoutReplicas",
      severity: "Info",
      what: `${total} replicas leave none for ${namesText(without)} (${parts})`,
      remedy: "raise the replicas, or let the policy take fewer clusters",
    });
  if (step > 1 && total % step !== 0)
    found.push({
      code: "ReplicasNotDivisible",
      severity: "Warning",
      what: `${total} replicas are no multiple of replicaStep ${step}: ${parts}`,
      remedy: `let ${object.metadata.name} have ${Math.ceil(total / step) * step} replicas`,
    });
  else if (weights === undefined && strategy === "Weighted" && without.length === 0 && new Set(shares).size > 1)
    found.push({
      code: "ReplicasUneven",
      severity: "Info",
      what: `${total} replicas on ${clusters.length} clusters do not divide evenly: ${parts}`,
      remedy: `nothing to mend, or let ${object.metadata.name} have a multiple of ${clusters.length} replicas`,
    });
  return found;
}

/** Images after the overrides of each cluster; of an object that runs nowhere, its own. */
function imageFindings({ clusters }: Target, object: KubeObject): Said[] {
  const rendered = clusters.flatMap(({ objects }) => objects).filter(({ role }) => role === "rendered");
  const images = new Set([...rendered.map((one) => one.object), object].flatMap((one) => [...imagesOf(one)]));
  const own = (object["spec"] as { image?: unknown } | undefined)?.image;
  if (rendered.length === 0 && typeof own === "string" && podTemplateOf(object) === undefined) images.add(own);
  return [...images].flatMap((image): Said[] => {
    const tag = tagOf(image);
    if (tag === undefined)
      return [
        {
          code: "ImageWithoutTag",
          severity: "Warning",
          what: `the image ${image} has neither a tag nor a digest: clusters that pull it at different times run different versions`,
          remedy: `name a version, such as ${image}:1.27`,
        },
      ];
    if (tag !== "latest") return [];
    return [
      {
        code: "ImageLatest",
        severity: "Info",
        what: `the image ${image} is another one tomorrow: a rollout, and a rollback, does not know it`,
        remedy: "name a version in place of latest",
      },
    ];
  });
}

/** The tag, or the digest; undefined if the image has none. */
function tagOf(image: string): string | undefined {
  const at = image.indexOf("@");
  if (at >= 0) return image.slice(at + 1);
  const name = image.slice(image.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  return colon < 0 ? undefined : name.slice(colon + 1);
}
