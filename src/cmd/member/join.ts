import { type Condition, type KubeObject, type MemberCluster, printYaml, sameValue } from "../../apis/index.ts";
import {
  builtInTypeOf,
  type Client,
  CLUSTERROLES,
  Discovery,
  isForbidden,
  isMissing,
  kubeconfigFor,
  MEMBERCLUSTERS,
  NAMESPACES,
  requestToken,
  SECRETS,
  SERVICEACCOUNTS,
  systemClock,
  listAll,
} from "../../runtime/index.ts";
import {
  clusterUid,
  type CommandContext,
  CommandError,
  commandLogger,
  connectHub,
  type Connection,
  connectMember,
  connectStored,
  describeWhere,
  EXIT,
  find,
  follow,
  isManagerRunning,
  notInstalled,
  Progress,
} from "../shared/index.ts";
import type { JoinOptions } from "./verb.ts";
import { checkBounded, consequences, type GrantedKind, nameOfKind, resolveKinds } from "./grantedKinds.ts";
import { checkIdentity, kubeconfigSecret, memberCluster } from "./joinedMember.ts";
import {
  accessAccount,
  accessClusterRole,
  accessDependents,
  accessNamespace,
  type MemberAccess,
  memberAccess,
  nameOfAccount,
  POD_LOGS,
  rememberedBy,
} from "./memberAccess.ts";
import { type Cleanup, revokeNamespaces } from "./memberCleanup.ts";
import { accessGuard } from "./memberGuard.ts";
import { isNarrower, makeNamespaces, missingNamespaces, namespacesToGrant, outOfReach } from "./memberNamespaces.ts";
import { installedNamespace } from "../workload/index.ts";

/**
 * Makes a cluster a member: an account with minimal rights there, its token in a Secret of the hub, and the
 * MemberCluster. A repeated join renews the credentials. The caller's own credentials are stored nowhere.
 */
export async function join(name: string, options: JoinOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  await using member = connectMember(name, options.memberKubeconfig, options.memberContext);
  const joining: Joining = { name, options, hub, member, signal };
  const checked = await check(joining);
  if (options.dryRun) {
    terminal.out(describeJoin(checked, options));
    return EXIT.ok;
  }

  using progress = new Progress(terminal);
  const joined = await enrol(joining, checked, {
    step: (text) => progress.show(text),
    warn: (what) => terminal.err(`${name}: ${what}\n`),
  });
  progress.show("");
  for (const { metadata } of checked.missing) terminal.out(`namespace/${metadata.name} created on ${name}\n`);
  terminal.out(`membercluster/${name} ${checked.before === undefined ? "joined" : "renewed"}\n`);
  // Awaited here, because the connections are closed when this function returns.
  return await untilReady(joined, options, hub.client, context, progress);
}

export interface Joining {
  name: string;
  options: Omit<JoinOptions, "memberKubeconfig" | "memberContext" | "dryRun" | "timeout">;
  hub: Connection;
  member: Connection;
  signal: AbortSignal;
}

/** Read before the first write. */
interface Checked {
  memberUid: string;
  access: MemberAccess;
  /** Granted namespaces that the member lacks. */
  missing: readonly KubeObject[];
  before: KubeObject | undefined;
  wanted: KubeObject;
}

interface Say {
  step: (text: string) => void;
  warn: (what: string) => void;
}

/** {@link join} without waiting for the manager. Returns the MemberCluster. */
export async function joinMember(joining: Joining): Promise<KubeObject> {
  const silent = (): void => undefined;
  return enrol(joining, await check(joining), { step: silent, warn: silent });
}

async function check(joining: Joining): Promise<Checked> {
  const { name, options, hub, member, signal } = joining;
  // Sequential, so that the same mistake gets the same message each time if neither cluster answers.
  const hubUid = await clusterUid(hub.client, signal);
  const memberUid = await clusterUid(member.client, signal);
  const before = await checkHub(joining, memberUid, hubUid);
  const remembered = rememberedBy(await find(member.client, CLUSTERROLES, undefined, nameOfAccount(hubUid), signal));
  const { protectedNamespaces = remembered.protectedNamespaces } = options;
  const namespaces = namespacesToGrant({ ...options, protectedNamespaces }, before);
  const kinds = await kindsOf([...remembered.kinds, ...(options.kinds ?? [])], joining);
  checkBounded(kinds, namespaces);
  const allowProtected = await inProtected(options.allowProtected ?? remembered.allowProtected, joining);
  const reads = options.podLogs === undefined ? remembered.reads : options.podLogs ? [POD_LOGS] : [];
  const granted = { namespaces, kinds, protectedNamespaces, allowProtected, reads };
  const access = memberAccess(hubUid, options.namespace, granted);
  const missing = await missingNamespaces(access, hub.client, member.client, signal);
  return { memberUid, access, missing, before, wanted: memberCluster(name, memberUid, options, namespaces) };
}

/** The kinds of these names, as the member or the hub serves them. */
async function kindsOf(names: readonly string[], { name, hub, member }: Joining): Promise<GrantedKind[]> {
  if (names.length === 0) return [];
  const onMember = await new Discovery(member.client, systemClock).list();
  const onHub = await new Discovery(hub.client, systemClock).list();
  return resolveKinds(names, [...onMember, ...onHub], name);
}

/** Resolves the kind of each `namespace/kind`. */
async function inProtected(names: readonly string[], joining: Joining): Promise<string[]> {
  const resolved: string[] = [];
  for (const one of names) {
    const [namespace = "", kind = ""] = one.split("/");
    resolved.push(...(await kindsOf([kind], joining)).map((found) => `${namespace}/${nameOfKind(found)}`));
  }
  return resolved;
}

async function enrol(
  { name, options, hub, member, signal }: Joining,
  { memberUid, access, missing, before, wanted }: Checked,
  say: Say,
): Promise<KubeObject> {
  // Rights are narrowed on the hub first, so that the manager stops using a right before the account loses it.
  if (before !== undefined && isNarrower(access.namespaces, namespacesOf(before))) {
    await setNamespaces(before, access, hub.client, signal);
    const left = await outOfReach(access, member.client, signal);
    if (left !== undefined) say.warn(left);
  }
  if (options.kinds !== undefined) for (const what of consequences(access.kinds ?? [])) say.warn(what);
  say.step(`${name}: creating the service account ${access.namespace}/${access.name}`);
  await makeNamespaces(missing, member.client, signal);
  const role = await grantAccess(member.client, access, signal);
  const wasBounded = before !== undefined && namespacesOf(before) !== undefined;
  if (wasBounded || access.namespaces !== undefined) {
    const cleanup: Cleanup = { removed: [], left: [] };
    await revokeNamespaces(member.client, access, cleanup, signal);
    for (const { what, command } of cleanup.left) say.warn(`${what} is left; remove it: ${command}`);
  }
  const why = await guardAccess(member.client, accessGuard(access, role), signal);
  if (why !== undefined) say.warn(why);
  say.step(`${name}: asking for a token`);
  const issuedAt = systemClock.now();
  const token = await requestToken(member.client, {
    namespace: access.namespace,
    serviceAccount: access.name,
    expirationSeconds: Math.round(options.tokenLifetime / 1_000),
    signal,
  });
  const { server, caData, tlsServerName } = member.config;
  const { namespace } = access;
  const kubeconfig = kubeconfigFor({ cluster: name, server, caData, tlsServerName, token: token.token, namespace });
  await checkKubeconfig(name, kubeconfig, memberUid, signal);

  await ensureHubNamespace(hub.client, options.namespace, signal);
  const secret = kubeconfigSecret(name, options.namespace, {
    access,
    memberUid,
    kubeconfig,
    issuedAt,
    expiresAt: token.expiresAt,
  });
  await hub.client.apply(SECRETS, secret, { force: true, signal });
  const joined =
    options.renew && before !== undefined
      ? before
      : await hub.client.apply(MEMBERCLUSTERS, wanted, { force: true, signal });
  return await setNamespaces(joined, access, hub.client, signal);
}

function namespacesOf(member: KubeObject): readonly string[] | undefined {
  return (member as unknown as MemberCluster).spec.namespaces;
}

/**
 * Writes the account's namespaces into the MemberCluster, whatever field manager set them. Returns the MemberCluster.
 */
async function setNamespaces(
  member: KubeObject,
  { namespaces }: MemberAccess,
  hub: Client,
  signal: AbortSignal,
): Promise<KubeObject> {
  if (sameValue(namespacesOf(member)?.toSorted(), namespaces)) return member;
  const patch = { spec: { namespaces: namespaces ?? null } };
  const type = "application/merge-patch+json";
  return await hub.patch(MEMBERCLUSTERS, undefined, member.metadata.name, type, patch, { signal });
}

/** Throws {@link CommandError} if the hub's objects do not allow the join. Returns the MemberCluster if it exists. */
async function checkHub(
  { name, options, hub, member, signal }: Joining,
  memberUid: string,
  hubUid: string,
): Promise<KubeObject | undefined> {
  let items: KubeObject[];
  try {
    items = await listAll({ client: hub.client, type: MEMBERCLUSTERS }, { signal });
  } catch (error) {
    if (isMissing(error)) throw await notInstalled(MEMBERCLUSTERS.plural, hub, signal);
    throw error;
  }
  checkIdentity(
    { name, memberUid, hubUid, where: member.where, renew: options.renew },
    items as unknown as MemberCluster[],
  );
  const before = items.find(({ metadata }) => metadata.name === name);
  if (options.renew && before === undefined) {
    throw new CommandError(
      `${describeWhere(hub.where)} has no member cluster ${name} to renew; leave out --renew and give --region to join it`,
    );
  }
  if (!options.renew && options.region === undefined) {
    throw new CommandError(
      `joining ${name} needs its region, by which placements and overrides choose: give --region, such as --region cn-shanghai, or --renew to renew only the credentials`,
    );
  }
  return before;
}

/** Applies the account and its rights, which repairs them, too. Returns the UID of the ClusterRole. */
async function grantAccess(member: Client, access: MemberAccess, signal: AbortSignal): Promise<string> {
  const namespace = await find(member, NAMESPACES, undefined, access.namespace, signal);
  if (namespace?.metadata.deletionTimestamp !== undefined) {
    throw new CommandError(
      `the namespace ${access.namespace} of member ${member.cluster} is being deleted; try again when it is gone`,
    );
  }
  if (namespace === undefined) await member.create(NAMESPACES, accessNamespace(access), { signal });
  const role = await member.apply(CLUSTERROLES, accessClusterRole(access), { force: true, signal });
  const account = await member.apply(SERVICEACCOUNTS, accessAccount(access), { force: true, signal });
  const owners = { clusterRole: role.metadata.uid ?? "", account: account.metadata.uid ?? "" };
  for (const object of accessDependents(access, owners))
    await member.apply(builtInTypeOf(object), object, { force: true, signal });
  return role.metadata.uid ?? "";
}

/**
 * Applies the guard of the account. Returns why the member does not support it; the limits of RBAC apply in any case.
 */
async function guardAccess(
  member: Client,
  guard: readonly KubeObject[],
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    for (const object of guard) await member.apply(builtInTypeOf(object), object, { force: true, signal });
    return undefined;
  } catch (error) {
    const held = "so RBAC alone bounds what the hub's account may write there";
    if (isMissing(error)) return `the cluster serves no ValidatingAdmissionPolicy (Kubernetes 1.30 does), ${held}`;
    if (isForbidden(error))
      return `the member's kubeconfig may not create ValidatingAdmissionPolicies, ${held}; join again with one that may`;
    throw error;
  }
}

/** Connects as the manager will, so that an error appears in the command and not later in a status. */
async function checkKubeconfig(
  cluster: string,
  kubeconfig: string,
  memberUid: string,
  signal: AbortSignal,
): Promise<void> {
  await using made = connectStored(cluster, kubeconfig);
  try {
    const uid = await clusterUid(made.client, signal);
    if (uid !== memberUid)
      throw new CommandError(
        `the server ${made.config.server} of member ${cluster} does not always lead to the same cluster (kube-system UID ${memberUid}, then ${uid}); give --member-kubeconfig an address that belongs to one cluster alone`,
      );
  } catch (error) {
    // The token was accepted. API servers take a moment to apply new rights, and the manager retries anyway.
    if (!isForbidden(error)) throw error;
  }
}

async function ensureHubNamespace(hub: Client, name: string, signal: AbortSignal): Promise<void> {
  if ((await find(hub, NAMESPACES, undefined, name, signal)) !== undefined) return;
  await hub.apply(NAMESPACES, installedNamespace(name), { force: true, signal });
}

async function untilReady(
  joined: KubeObject,
  options: JoinOptions,
  hub: Client,
  context: CommandContext,
  progress: Progress,
): Promise<number> {
  const { terminal, signal } = context;
  const { name, generation = 0 } = joined.metadata;
  const { timeout: timeoutMs } = options;
  if (!(await isManagerRunning(hub, options.namespace, options.leaseName, signal))) {
    terminal.err(`No manager runs on the hub now; ${name} will connect when one does (\`meridian manager\`).\n`);
    return EXIT.ok;
  }
  let last: Condition | undefined;
  let isGone = false;
  const ready = await follow(
    { client: hub, type: MEMBERCLUSTERS, name, timeoutMs, signal, logger: commandLogger(options.logLevel, terminal) },
    (object) => {
      // A cluster that leaves may be drained by now: its credentials were renewed for that purpose.
      isGone = object === undefined && joined.metadata.deletionTimestamp !== undefined;
      if (isGone) return true;
      const status = (object as unknown as MemberCluster | undefined)?.status;
      last = status?.conditions?.find(({ type }) => type === "Ready");
      progress.show(`${name}: ${last === undefined ? "waiting for the manager" : `${last.reason} ${last.message}`}`);
      return last?.status === "True" && (status?.observedGeneration ?? generation) >= generation;
    },
  );
  progress.show("");
  if (ready) {
    terminal.out(`membercluster/${name} ${isGone ? "removed" : "ready"}\n`);
    return EXIT.ok;
  }
  const reason = last === undefined ? "the manager has not reported on it" : `${last.reason}: ${last.message}`;
  throw new CommandError(
    `${name} is joined but not ready in time (${reason}); see \`meridian status membercluster/${name}\``,
    { exitCode: EXIT.timeout },
  );
}

/** The objects as YAML. Angle brackets stand for values that only a real join knows. */
function describeJoin({ access, missing, wanted }: Checked, options: JoinOptions): string {
  const member = [
    ...missing,
    accessNamespace(access),
    accessClusterRole(access),
    accessAccount(access),
    ...accessDependents(access, { clusterRole: "<uid of the ClusterRole>", account: "<uid of the ServiceAccount>" }),
    ...accessGuard(access, "<uid of the ClusterRole>"),
  ];
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: wanted.metadata.name, namespace: options.namespace },
    stringData: { kubeconfig: `<server and CA of the member, token of ${access.namespace}/${access.name}>` },
  };
  const documents = (objects: unknown[]) => objects.map((object) => `---\n${printYaml(object)}`).join("");
  return `# On the member:\n${documents(member)}# On the hub:\n${documents(options.renew && options.namespaces === undefined ? [secret] : [secret, wanted])}`;
}
