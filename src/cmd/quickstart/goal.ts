import { type StatusReport } from "../view/index.ts";

/** What is still missing until everything is Available. Pure. */

export interface Goal {
  members: readonly string[];
  /** Absent if nobody knows where the application must run. */
  application?: { name: string; members: readonly string[] };
  /** True if this manager has found the object available: results of an earlier manager prove nothing. */
  isAvailable: (namespace: string, name: string) => boolean;
  isReached: (cluster: string) => boolean;
}

/** One sentence for each missing item. */
export function missing(report: StatusReport, goal: Goal): string[] {
  const { members, application, isAvailable, isReached } = goal;
  const found: string[] = [];
  for (const name of members) {
    const cluster = report.clusters.find((candidate) => candidate.name === name);
    if (cluster === undefined) found.push(`${name} has not joined`);
    else if (cluster.ready !== "True") found.push(`${name} is not ready${because(cluster)}`);
    else if (!isReached(name)) found.push(`${name} was not reached yet`);
  }
  for (const object of report.objects) {
    const where = `${object.namespace}/${object.name}`;
    const unwell = object.clusters.filter(({ state }) => state !== "Available");
    for (const { name, state, reason = "", message = "", replicas } of unwell) {
      const count = `${replicas.ready} of ${replicas.desired} ready`;
      found.push(`${where} in ${name} is ${state}, ${count}${because({ reason, message })}`);
    }
    if (!object.healthy && unwell.length === 0) found.push(`${where} is not Available${because(object)}`);
    else if (object.healthy && !isAvailable(object.namespace, object.name)) found.push(`${where} is not planned yet`);
  }
  if (application === undefined) return found;
  const object = report.objects.find(({ name }) => name === application.name);
  if (object === undefined) return [...found, `${application.name} is not on the hub`];
  const present = new Set(object.clusters.map(({ name }) => name));
  const absent = application.members.filter((name) => !present.has(name));
  return [...found, ...absent.map((name) => `${object.namespace}/${object.name} has not come to ${name}`)];
}

function because({ reason, message }: { reason: string; message: string }): string {
  if (reason === "") return "";
  return message === "" ? ` (${reason})` : ` (${reason}: ${message})`;
}
