import { CLUSTER_FINALIZER, type Condition, holdersOf, type KubeObject, type MemberCluster } from "../apis/index.ts";
import { type Client, clusterConfigFromKubeconfig, isNotFound, MEMBERCLUSTERS, SECRETS } from "../runtime/index.ts";
import {
  clusterUid,
  commandLogger,
  type CommandContext,
  connect,
  connectHub,
  type Connection,
  connectMember,
  find,
  isManagerRunning,
} from "./connection.ts";
import { follow } from "./follow.ts";
import { KUBECONFIG_KEY, knownMemberUid, MEMBER_UID_ANNOTATION } from "./joinedMember.ts";
import { JOINED_TO_LABEL, memberAccess } from "./memberAccess.ts";
import { everythingOf, type Leftover, revokeAccess } from "./memberCleanup.ts";
import type { UnjoinOptions } from "./options.ts";
import { CommandError, describeError, EXIT } from "./outcome.ts";
import { Progress } from "./terminal.ts";

/**
 * Ends a membership: deletes the MemberCluster first (the manager drains or orphans while the credentials still work), then the objects
 * that join made. Can be repeated until nothing is left.
 */
export async function unjoin(name: string, options: UnjoinOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const member = (await find(hub.client, MEMBERCLUSTERS, undefined, name, signal)) as unknown as
    | MemberCluster
    | undefined;
  const secret = await joinedSecret(hub.client, name, member, options, signal);
  if (member === undefined && secret === undefined) throw new CommandError(`there is no member cluster ${name}`);
  if (options.force && options.deletionPolicy === "Drain") {
    throw new CommandError(
      "--force gives up waiting for a manager, and only a manager can drain: use --orphan --force, or start a manager",
    );
  }
  if (member !== undefined) {
    const gone = await removeMemberCluster(member, options, hub.client, context);
    if (!gone) return EXIT.found;
    terminal.out(`membercluster/${name} removed\n`);
  }
  const memberUid =
    (member === undefined ? undefined : knownMemberUid(member)) ??
    secret?.metadata.annotations?.[MEMBER_UID_ANNOTATION];
  const leftovers = await cleanMember(name, memberUid, secret, options, hub.client, context);
  if (secret !== undefined) {
    await deleteSecret(hub.client, secret, signal);
    terminal.out(`secret/${secret.metadata.name} removed from namespace ${options.namespace}\n`);
  }
  return reportLeftovers(name, leftovers, context);
}

/** The Secret that join made; a Secret that a person made stays, so that no credentials vanish unasked. */
async function joinedSecret(
  hub: Client,
  name: string,
  member: MemberCluster | undefined,
  options: UnjoinOptions,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const secret = await find(
    hub,
    SECRETS,
    options.namespace,
    member?.spec.connection.kubeconfigSecretRef?.name ?? name,
    signal,
  );
  return secret?.metadata.labels?.[JOINED_TO_LABEL] === undefined ? undefined : secret;
}

/** True when the MemberCluster is gone; false when its finalizer waits for a manager. Throws {@link CommandError} when the time is up. */
async function removeMemberCluster(
  member: MemberCluster,
  options: UnjoinOptions,
  hub: Client,
  context: CommandContext,
): Promise<boolean> {
  const { terminal, signal } = context;
  const { name, uid } = member.metadata;
  terminal.err(
    options.deletionPolicy === "Drain"
      ? `Draining ${name}: what Meridian put there is deleted.\n`
      : `Orphaning ${name}: what Meridian put there keeps running, and is no longer managed (--drain deletes it).\n`,
  );
  const managed = await isManagerRunning(hub, options.namespace, options.leaseName, signal);
  try {
    await hub.patch(
      MEMBERCLUSTERS,
      undefined,
      name,
      "application/merge-patch+json",
      { spec: { deletionPolicy: options.deletionPolicy } },
      { signal },
    );
    await hub.delete(MEMBERCLUSTERS, undefined, name, { signal, ...(uid === undefined ? {} : { uid }) });
    if (options.force) await letGo(hub, name, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  if (!managed && (await find(hub, MEMBERCLUSTERS, undefined, name, signal)) !== undefined) {
    terminal.err(
      `No manager runs on the hub, so ${name} stays marked for deletion until one does; then run \`meridian unjoin ${name}\` again to remove the rest.` +
        (options.deletionPolicy === "Orphan" ? ` With --force it goes now.\n` : "\n"),
    );
    return false;
  }
  return untilGone(name, options, hub, context);
}

/** Removes the finalizer in place of a manager. Nothing on the member is touched. */
async function letGo(hub: Client, name: string, signal: AbortSignal): Promise<void> {
  const member = await find(hub, MEMBERCLUSTERS, undefined, name, signal);
  if (member === undefined) return;
  const { finalizers = [], resourceVersion } = member.metadata;
  const patch = {
    metadata: { resourceVersion, finalizers: finalizers.filter((one) => !holdsCluster(one)) },
  };
  await hub.patch(MEMBERCLUSTERS, undefined, name, "application/merge-patch+json", patch, { signal });
}

/** Whether a finalizer is Meridian's, of whatever class. */
function holdsCluster(finalizer: string): boolean {
  return holdersOf(CLUSTER_FINALIZER, { finalizers: [finalizer] }).length > 0;
}

async function untilGone(
  name: string,
  options: UnjoinOptions,
  hub: Client,
  { terminal, signal }: CommandContext,
): Promise<boolean> {
  using progress = new Progress(terminal);
  let state = "the manager has not begun";
  const gone = await follow(
    {
      client: hub,
      type: MEMBERCLUSTERS,
      name,
      timeoutMs: options.timeout,
      signal,
      logger: commandLogger(options.logLevel, terminal),
    },
    (object) => {
      if (object === undefined) return true;
      state = describeRemoval(object as unknown as MemberCluster) ?? state;
      progress.show(`${name}: ${state}`);
      return false;
    },
  );
  if (gone) return true;
  throw new CommandError(
    `${name} is not gone in time (${state}); its credentials stay until it is: run \`meridian unjoin ${name}\` again`,
    {
      exitCode: EXIT.timeout,
    },
  );
}

function describeRemoval({ status }: MemberCluster): string | undefined {
  const found = (type: string): Condition | undefined =>
    status?.conditions?.find((condition) => condition.type === type);
  const condition = found("Removed") ?? found("Draining") ?? found("Ready");
  return condition === undefined ? undefined : `${condition.reason} ${condition.message}`.trim();
}

async function cleanMember(
  name: string,
  memberUid: string | undefined,
  secret: KubeObject | undefined,
  options: UnjoinOptions,
  hub: Client,
  { terminal, signal }: CommandContext,
): Promise<Leftover[]> {
  const access = memberAccess(await clusterUid(hub, signal), options.namespace);
  const connection = memberConnection(name, secret, options);
  // This command never joined the cluster, so that no object of join is on the member.
  if (connection === undefined) return [];
  await using member = connection.opened;
  try {
    const uid = await clusterUid(member.client, signal);
    if (memberUid !== undefined && uid !== memberUid)
      throw new CommandError(
        `this kubeconfig leads to another cluster than ${name} (kube-system UID ${uid}, not ${memberUid})`,
      );
    const { removed, left } = await revokeAccess(member.client, access, connection.asAdmin, signal);
    for (const what of removed) terminal.out(`${what} removed from ${name}\n`);
    return left;
  } catch (error) {
    if (signal.aborted || (error instanceof CommandError && options.memberKubeconfig !== undefined)) throw error;
    terminal.err(`${name} could not be cleaned: ${describeError(error)}\n`);
    return everythingOf(access);
  }
}

/** The person's kubeconfig, else the credentials that join stored, whose account may remove itself. */
function memberConnection(
  name: string,
  secret: KubeObject | undefined,
  options: UnjoinOptions,
): { opened: Connection; asAdmin: boolean } | undefined {
  if (options.memberKubeconfig !== undefined) {
    return { opened: connectMember(name, options.memberKubeconfig, options.memberContext), asAdmin: true };
  }
  const encoded = ((secret?.["data"] ?? {}) as Record<string, string>)[KUBECONFIG_KEY];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  return { opened: connect(name, clusterConfigFromKubeconfig(text, { cluster: name })), asAdmin: false };
}

async function deleteSecret(hub: Client, { metadata }: KubeObject, signal: AbortSignal): Promise<void> {
  try {
    await hub.delete(SECRETS, metadata.namespace, metadata.name, {
      signal,
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function reportLeftovers(name: string, leftovers: Leftover[], { terminal }: CommandContext): number {
  if (leftovers.length === 0) return EXIT.ok;
  terminal.err(`Left on ${name}; remove it with that cluster's own credentials:\n`);
  for (const { what, command } of leftovers) terminal.err(`  ${what}\n    ${command}\n`);
  return EXIT.found;
}
