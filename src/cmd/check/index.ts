/**
 * `meridian check`: a preflight of hub, members, rights, versions, clocks, certificates and webhooks. Each finding has
 * a code, a severity, a place and a remedy. Nothing is written.
 *
 * Promises: exits with 0 if all is well, with 1 if something was found or could not be checked, with 2 if the hub is
 * not reached. A missing right is a finding that names the right. A member that does not answer delays and hides
 * nothing else. Values of Secrets are never shown.
 */
import { joinCommand, type KubeObject, type MemberCluster } from "../../apis/index.ts";
import {
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  systemClock,
} from "../../runtime/index.ts";
import { atOnce, type CommandContext, connectHub, EXIT, structured } from "../shared/index.ts";
import { buildReport } from "../view/index.ts";
import { checkDefinitions } from "./definitions.ts";
import { askHub, checkClock, checkManagers, checkServer, readDefinitions, type Server } from "./hub.ts";
import { hubTimeOf } from "./manager.ts";
import { checkMember, type Probe } from "./members.ts";
import { checkPolicies } from "./policies.ts";
import { probeMember } from "./probes.ts";
import { checkQueries } from "./queries.ts";
import { PreflightReader } from "./reading.ts";
import { type CheckResult, Checking, HUB, notChecked } from "./result.ts";
import { checkReport, checkText } from "./text.ts";
import type { CheckOptions } from "./verb.ts";

export async function check(options: CheckOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const reader = new PreflightReader(hub, signal);
  const server = await askHub(reader);
  const results = [checkServer(server), checkClock(server)];
  const definitions = await readDefinitions(reader);
  const isInstalled = definitions === undefined || definitions.live.size > 0;
  results.push(
    definitions === undefined
      ? notChecked("Definitions", HUB, "CustomResourceDefinitions")
      : checkDefinitions(definitions.shipped, definitions.live),
  );
  if (isInstalled) {
    results.push(...(await checkManagers(reader, options, server, [...(definitions?.live.values() ?? [])])));
    const queries = await checkQueries(hub, options, signal);
    if (queries !== undefined) results.push(queries);
    results.push(await checkAllPolicies(reader));
    results.push(...(await checkMembers(reader, options, server)));
  }
  results.push(reader.rights());
  terminal.out(structured(checkReport(results), options.output) ?? checkText(results, terminal.color));
  return results.every(({ result }) => result === "Fine") ? EXIT.ok : EXIT.found;
}

async function checkAllPolicies(reader: PreflightReader): Promise<CheckResult> {
  const policies: KubeObject[] = [];
  const hidden: string[] = [];
  for (const type of [PLACEMENTS, CLUSTERPLACEMENTS, OVERRIDEPOLICIES, CLUSTEROVERRIDEPOLICIES]) {
    const shown = await reader.shown(type, `whether ${type.plural} are in force`);
    if (shown === undefined) hidden.push(type.plural);
    else policies.push(...shown);
  }
  return hidden.length > 0 ? notChecked("Policies", HUB, hidden.join(", ")) : checkPolicies(policies);
}

async function checkMembers(
  reader: PreflightReader,
  { namespace, hubOnly }: CheckOptions,
  hub: Server,
): Promise<CheckResult[]> {
  const listed = await reader.shown(MEMBERCLUSTERS, "the state of the members");
  if (listed === undefined) return [notChecked("Members", HUB, MEMBERCLUSTERS.plural)];
  if (listed.length === 0) return [noMembers()];
  const members = listed as unknown as MemberCluster[];
  const probes = new Map<string, Probe>();
  if (!hubOnly)
    await atOnce(members, async (member) => {
      probes.set(member.metadata.name, await probeMember(reader, member, namespace));
    });
  const now = hubTimeOf(systemClock.now(), hub.clock);
  const reports = new Map(buildReport([], listed).clusters.map((report) => [report.name, report]));
  return members.flatMap((member) => {
    const report = reports.get(member.metadata.name);
    const probe = probes.get(member.metadata.name) ?? { kind: "NotAsked" as const };
    return report === undefined ? [] : [checkMember({ member, report, probe, hub, now })];
  });
}

function noMembers(): CheckResult {
  const checking = new Checking("Members", HUB);
  checking.warning("NoMembers", "no cluster has joined", `run \`${joinCommand()}\``);
  return checking.result("there are none");
}
