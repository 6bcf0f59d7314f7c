import type { FederatedStatus, KubeObject, ObjectRef } from "../../src/apis/index.ts";
import { CONFIGMAPS, NAMESPACES, SECRETS, SERVICES } from "../../src/runtime/index.ts";
import type { TestCluster } from "../integration/federation/testCluster.ts";
import { imageOf, isMeridians, readiness, workloadsOn } from "./copies.ts";
import { type Scenery, WITH_STATUS } from "./scenery.ts";
import { entryText, named, rolloutText } from "./words.ts";

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Objects that a cluster makes for itself. */
const OWN = /^(kube-root-ca\.crt|kubernetes)$/;

/** What there is on the hub and on the members, without times: the same for every order of events. */
export function endState(play: Scenery): string {
  const hub = together(
    WITH_STATUS.flatMap((type) => play.hub.list(type)).map((object) => [object.metadata.name, hubLines(object)]),
  );
  const members = together([...play.members].map(([name, member]) => [name, memberLines(member)]));
  const rows = play
    .decisions()
    .filter(({ verb }) => verb !== "Apply")
    .map(({ owner, cluster, ref, verb, reason }) => `${named(owner)}: ${verb} ${named(ref)} on ${cluster}, ${reason}`);
  const open = rows.length === 0 ? [] : ["rows that apply nothing", ...rows.toSorted().map((row) => `  ${row}`)];
  return ["hub", ...hub.map((line) => `  ${line}`), ...members, ...open].join("\n").replaceAll(TIME, "<time>");
}

function hubLines({ kind, metadata, ...object }: KubeObject): string[] {
  const status = (object["status"] ?? {}) as FederatedStatus;
  const { conditions = [], clusters = [], rollout, observedGeneration } = status;
  const about = [
    ...(metadata.generation === undefined ? [] : [`generation ${metadata.generation}`]),
    ...(observedGeneration === undefined ? [] : [`observed ${observedGeneration}`]),
    ...(metadata.deletionTimestamp === undefined ? [] : ["being deleted"]),
    ...(metadata.finalizers ?? []).map((finalizer) => `finalizer ${finalizer.replace(/^.*\//, "")}`),
  ];
  const said = conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`).toSorted();
  const ready = conditions.find(({ type }) => type === "Ready");
  return [
    `${named({ kind, ...metadata, name: NAME } as ObjectRef)} (${about.join(", ")})`,
    ...(said.length === 0 ? [] : [`  ${said.join("; ")}`]),
    ...(kind === "MemberCluster" || ready === undefined ? [] : [`  "${ready.message}"`]),
    ...clusters.map((entry) => `  ${entry.name}: ${entryText(entry)}`),
    ...(rollout === undefined ? [] : [`  rollout ${rolloutText(rollout)}`]),
  ];
}

function memberLines(member: TestCluster): string[] {
  const plain = [SERVICES, CONFIGMAPS, SECRETS].flatMap((type) => member.list(type));
  const made = member.list(NAMESPACES).filter(isMeridians);
  const lines = [
    ...workloadsOn(member).map((workload) => [workload, `${imageOf(workload)}, ${readiness(workload)}`] as const),
    ...[...plain, ...made].filter(({ metadata }) => !OWN.test(metadata.name)).map((object) => [object, ""] as const),
  ].map(([object, words]) => {
    const { kind, metadata } = object;
    const whose = isMeridians(object) ? "" : " (not Meridian's)";
    const going = metadata.deletionTimestamp === undefined ? "" : " (being deleted)";
    return `  ${named({ kind, ...metadata } as ObjectRef)}${whose}${going}${words === "" ? "" : `: ${words}`}`;
  });
  return [`cluster ${NAME}`, ...(lines.length === 0 ? ["  nothing of the usual kinds"] : lines.toSorted())];
}

const NAME = "NAME";

/** Objects and clusters that differ only by their names share their lines. */
function together(all: readonly (readonly [name: string, lines: string[]])[]): string[] {
  const names = new Map<string, string[]>();
  for (const [name, lines] of all) {
    const text = lines.join("\n");
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].flatMap(([text, same]) => text.replace(NAME, same.join(", ")).split("\n"));
}
