/**
 * `meridian rollout`: shows how a change reaches the clusters, and passes a person's commands to the rollout, as
 * annotations of the object for one revision. Whoever may change the object may give commands.
 */
import {
  DEFAULT_SYSTEM_NAMESPACE,
  type FederatedStatus,
  fullMessage,
  type KubeObject,
  type PolicyStatus,
  type ResourceBinding,
  ROLLOUT_APPROVALS_ANNOTATION,
  ROLLOUT_COMMAND_ANNOTATION,
  rolloutApprovalsIn,
  rolloutCommandIn,
  type RolloutStatus,
  timestamp,
} from "../../apis/index.ts";
import {
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CONTROLLERREVISIONS,
  DEMOAPPLICATIONS,
  isConflict,
  MANIFESTBUNDLES,
  PLACEMENTS,
  RESOURCEBINDINGS,
  type ResourceType,
  systemClock,
} from "../../runtime/index.ts";
import {
  chooseAmong,
  type CommandContext,
  CommandError,
  commandLogger,
  connectHub,
  type Connection,
  describeWhere,
  EXIT,
  find,
  follow,
  type HubOptions,
  HubReader,
  type OptionsOf,
  structured,
} from "../shared/index.ts";
import { nameOnCommandLine } from "../view/index.ts";
import { splitName } from "../status/index.ts";
import { approved, said } from "./commands.ts";
import { type FoundRevision, foundRevision, goodBefore, linesOf } from "./revisions.ts";
import { historyText, rolloutText } from "./text.ts";
import type * as verbs from "./verb.ts";

/** An object of the hub, or the ResourceBinding that has its status. */
interface Found {
  type: ResourceType;
  holder: KubeObject;
  name: string;
}

type Call<O> = (name: string, options: O, context: CommandContext) => Promise<number>;

function onObject<O extends HubOptions & { namespace?: string }>(
  run: (hub: Connection, found: Found, options: O, context: CommandContext) => Promise<number>,
): Call<O> {
  return async (name, options, context) => {
    await using hub = connectHub(options, context);
    const found = await objectOf(hub, name, options.namespace ?? hub.config.currentNamespace, context.signal);
    return await run(hub, found, options, context);
  };
}

export const status = onObject(showStatus);
export const history = onObject(showHistory);
export const undo = onObject(toRevision);
export const [pause, resume, abort] = [steer("pause"), steer("resume"), steer("abort")];
export const approve = steer("approve");

async function objectOf(hub: Connection, text: string, namespace: string, signal: AbortSignal): Promise<Found> {
  const { kind, group, name } = splitName(text);
  const type = kind === "demoapplication" ? DEMOAPPLICATIONS : kind === "manifestbundle" ? MANIFESTBUNDLES : undefined;
  if (type !== undefined) {
    const holder = await find(hub.client, type, namespace, name, signal);
    if (holder === undefined) throw await noSuchObject(hub, type, { name, namespace }, signal);
    return { type, holder, name: `${kind}/${name}` };
  }
  for (const bindings of [RESOURCEBINDINGS, CLUSTERRESOURCEBINDINGS]) {
    const selection = bindings === RESOURCEBINDINGS ? { namespace } : {};
    const items = await new HubReader(hub, signal).listRequired(bindings, selection);
    const holder = items.find((one) => isAbout(one as unknown as ResourceBinding, kind, group, name));
    if (holder !== undefined) return { type: bindings, holder, name: `${kind}/${name}` };
  }
  throw new CommandError(
    `no policy places a ${kind} "${name}" in namespace ${namespace} of ${describeWhere(hub.where)}: give -n NAMESPACE if the object is in another namespace; objects are named as NAME or KIND/NAME`,
  );
}

/** Lists the existing objects of every namespace that the person may read. */
async function noSuchObject(
  hub: Connection,
  type: ResourceType,
  { name, namespace }: { name: string; namespace: string },
  signal: AbortSignal,
): Promise<CommandError> {
  const reader = new HubReader(hub, signal);
  const items = (await reader.listInstalled(type)) ?? (await reader.listRequired(type, { namespace }));
  const names = items
    .toSorted((a, b) => Number(b.metadata.name === name) - Number(a.metadata.name === name))
    .map(({ kind, metadata }) =>
      nameOnCommandLine({ kind, namespace: metadata.namespace ?? "", name: metadata.name }, { namespace }),
    );
  return new CommandError(
    `${describeWhere(hub.where)} has no ${type.kind.toLowerCase()} "${name}" in namespace ${namespace}; ${chooseAmong(names, "there is none: apply one first")}`,
  );
}

function isAbout({ spec }: ResourceBinding, kind: string, group: string | undefined, name: string): boolean {
  const { resource } = spec;
  const own = resource.kind.toLowerCase();
  if (resource.name !== name || (kind !== own && kind !== `${own}s`)) return false;
  return group === undefined || resource.apiVersion.startsWith(`${group}/`);
}

function rolloutOf(holder: KubeObject): RolloutStatus | undefined {
  return (holder["status"] as FederatedStatus | undefined)?.rollout;
}

/** True if the rollout does not continue without a person. */
function hasStopped(status: RolloutStatus | undefined): boolean {
  if (status === undefined || (status.state === "Planned" && (status.reason ?? "") !== "")) return true;
  return ["Succeeded", "RolledBack", "Superseded", "Paused"].includes(status.state);
}

async function showStatus(
  hub: Connection,
  found: Found,
  { output, watch, timeout, logLevel }: OptionsOf<typeof verbs.status>,
  { terminal, signal }: CommandContext,
): Promise<number> {
  let { holder } = found;
  if (watch && !hasStopped(rolloutOf(holder))) {
    const { name, namespace } = holder.metadata;
    const place = namespace === undefined ? {} : { namespace };
    const logger = commandLogger(logLevel, terminal);
    const reached = await follow(
      { client: hub.client, type: found.type, name, ...place, timeoutMs: timeout, signal, logger },
      (object) => {
        if (object === undefined) return true;
        holder = object;
        return hasStopped(rolloutOf(object));
      },
    );
    if (!reached) throw new CommandError(`${found.name} is still being rolled out`, { exitCode: EXIT.timeout });
  }
  const status = rolloutOf(holder);
  const text = async (): Promise<string> => rolloutText(found.name, status, await stoppedBefore(hub, found, signal));
  terminal.out(structured(status ?? null, output) ?? (await text()));
  return status === undefined || status.state === "Succeeded" ? EXIT.ok : EXIT.found;
}

/** The stopped rollouts that the object may wait for; empty if the person may not read the policy. */
async function stoppedBefore(
  hub: Connection,
  { holder }: Found,
  signal: AbortSignal,
): Promise<NonNullable<PolicyStatus["stoppedRollouts"]>> {
  const { placement, rollout: run } = (holder["status"] as FederatedStatus | undefined) ?? {};
  if (placement === undefined || run?.state !== "Planned" || (run.reason ?? "") !== "") return [];
  const type = placement.kind === "ClusterPlacement" ? CLUSTERPLACEMENTS : PLACEMENTS;
  const policy = await new HubReader(hub, signal).findReadable(type, placement.namespace, placement.name);
  if (policy === undefined || policy === "Denied") return [];
  return (policy["status"] as PolicyStatus | undefined)?.stoppedRollouts ?? [];
}

/** A stored revision that the status does not prove is not usable. */
async function revisionsOf(hub: Connection, { holder }: Found, signal: AbortSignal): Promise<FoundRevision[]> {
  const namespace = holder.metadata.namespace ?? DEFAULT_SYSTEM_NAMESPACE;
  const kept = rolloutOf(holder)?.revisions ?? [];
  return await Promise.all(
    kept.map(async (one) =>
      foundRevision(one, await find(hub.client, CONTROLLERREVISIONS, namespace, one.name, signal)),
    ),
  );
}

async function showHistory(
  hub: Connection,
  found: Found,
  options: OptionsOf<typeof verbs.history>,
  { terminal, signal }: CommandContext,
): Promise<number> {
  const revisions = await revisionsOf(hub, found, signal);
  const status = found.holder["status"] as FederatedStatus | undefined;
  const lines = linesOf(revisions, status?.rollout, status);
  const none = `${found.name} has no revisions: it is not rolled out in stages\n`;
  terminal.out(structured(lines, options.output) ?? (lines.length === 0 ? none : historyText(lines)));
  return EXIT.ok;
}

type SteeringVerb = "pause" | "resume" | "approve" | "abort";

function steer(verb: SteeringVerb): Call<OptionsOf<typeof verbs.approve>> {
  return onObject(async (hub, found, { stage }, { terminal, signal }) => {
    const user = verb === "approve" ? await userOf(hub, signal) : "";
    let { holder } = found;
    for (;;) {
      const { annotations, answer } = annotationsFor(verb, found.name, holder, { stage, user });
      if (annotations !== undefined) {
        const { name, namespace, resourceVersion } = holder.metadata;
        try {
          const patch = { metadata: { resourceVersion, annotations } };
          await hub.client.patch(found.type, namespace, name, "application/merge-patch+json", patch, { signal });
        } catch (error) {
          if (!isConflict(error)) throw error;
          // Somebody else has changed the object: decide again from its present state.
          holder = await hub.client.get(found.type, namespace, name, { signal });
          continue;
        }
      }
      terminal.out(`${answer}\n`);
      return EXIT.ok;
    }
  });
}

function annotationsFor(
  verb: SteeringVerb,
  object: string,
  holder: KubeObject,
  { stage, user }: { stage: string | undefined; user: string },
): { annotations?: Record<string, string>; answer: string } {
  const { annotations = {} } = holder.metadata;
  const status = rolloutOf(holder);
  if (verb === "approve") {
    const before = rolloutApprovalsIn(annotations[ROLLOUT_APPROVALS_ANNOTATION]);
    const { approvals, answer } = approved({ object, status, before, stage, user });
    if (approvals === undefined) return { answer };
    return { annotations: { [ROLLOUT_APPROVALS_ANNOTATION]: JSON.stringify(approvals) }, answer };
  }
  const before = rolloutCommandIn(annotations[ROLLOUT_COMMAND_ANNOTATION]);
  const { command, answer } = said({ verb, object, status, before, now: timestamp(systemClock.now()) });
  if (command === undefined) return { answer };
  return { annotations: { [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify(command) }, answer };
}

async function userOf({ client }: Connection, signal: AbortSignal): Promise<string> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const answer = (await client.raw("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
    body: review,
    signal,
  })) as { status?: { userInfo?: { username?: string } } };
  const { userInfo } = answer.status ?? {};
  if (userInfo?.username === undefined)
    throw new CommandError("the hub does not say who you are, so it could not be recorded who approved");
  return userInfo.username;
}

async function toRevision(
  hub: Connection,
  found: Found,
  options: OptionsOf<typeof verbs.undo>,
  { terminal, signal }: CommandContext,
): Promise<number> {
  const { holder, type, name: called } = found;
  if (type !== DEMOAPPLICATIONS && type !== MANIFESTBUNDLES)
    throw new CommandError(`${called} belongs to whoever made it: apply its earlier manifest instead`);
  const wanted = options.toRevision ?? goodBefore(called, rolloutOf(holder));
  const revisions = await revisionsOf(hub, found, signal);
  const read = revisions.find(({ kept }) => kept.revision === wanted)?.read;
  if (read === undefined)
    throw new CommandError(`${called} has no revision ${wanted}; \`meridian rollout history ${called}\` lists them`);
  if (read.kind === "Unusable")
    throw new CommandError(
      `${called} was not rolled back: ${fullMessage(read.why.message)}; apply its earlier manifest instead`,
    );
  const { object } = read.content;
  if (JSON.stringify(object["spec"]) === JSON.stringify(holder["spec"])) {
    terminal.out(
      `${called} is already as in revision ${wanted}; the difference is in its policies: revert the policies\n`,
    );
    return EXIT.ok;
  }
  const { name, namespace, resourceVersion } = holder.metadata;
  const patch = [
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "replace", path: "/spec", value: object["spec"] },
  ];
  await hub.client.patch(type, namespace, name, "application/json-patch+json", patch, { signal });
  terminal.out(`${called} rolled back to revision ${wanted}\n`);
  return EXIT.ok;
}
