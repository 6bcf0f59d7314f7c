import {
  type Condition,
  counted,
  isConverted,
  type KubeObject,
  servingAllVersions,
  joinCommand,
} from "../../apis/index.ts";
import { type Client, CRDS, Discovery, type ResourceType, systemClock } from "../../runtime/index.ts";
import {
  type CommandContext,
  CommandError,
  commandLogger,
  connectHub,
  describeWhere,
  EXIT,
  find,
  follow,
  loadCrds,
  Progress,
  type Whereabouts,
} from "../shared/index.ts";
import type { InstallOptions } from "./verb.ts";
import { resolveHubKinds } from "../member/index.ts";
import { type Checked, checkAll, label, verbOf } from "./installChecks.ts";
import { refuseBesideRelease, untilManagersReady } from "./installedManager.ts";
import {
  INSTALLED_LABELS,
  installedNamespace,
  MANAGER_ACCOUNT,
  type ManagerAccess,
  managerObjects,
  workloadObjects,
} from "../workload/index.ts";

/**
 * Installs the CRDs and waits until they are served, then the namespace and a manager's account; with `workload` also
 * managers, until they are ready. A dry run asks the hub about every object first. Can be repeated. What Helm made is
 * left to Helm.
 */
export async function install(options: InstallOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const { namespace, workload } = options;
  await using hub = connectHub(options, context);
  const manager = await managerAccess(options, hub.client);
  const rest = manager === undefined ? [] : [installedNamespace(namespace), ...managerObjects(manager)];
  if (manager !== undefined && workload !== undefined) rest.push(...workloadObjects(manager, workload));
  if (workload !== undefined) await refuseBesideRelease(hub.client, signal);
  const crds: KubeObject[] = [];
  // Sequential, so that a person who lacks a right gets the same error each time.
  for (const crd of await loadCrds()) crds.push(await asServed(labelled(crd), hub.client, signal));
  const checked = await checkAll(hub.client, [...crds, ...rest], signal);
  refuse(checked, hub.where, context);
  if (options.dryRun) {
    for (const one of checked) terminal.out(`${label(one.wanted)} ${describeVerdict(one)}\n`);
    return EXIT.ok;
  }
  const write = async (one: Checked): Promise<void> => {
    const verdict = one.verdict.kind === "Write" ? await apply(hub.client, one, signal) : describeVerdict(one);
    terminal.out(`${label(one.wanted)} ${verdict}\n`);
  };
  for (const one of checked.slice(0, crds.length)) await write(one);
  await untilEstablished(hub.client, crds, options, context);
  for (const one of checked.slice(crds.length)) await write(one);
  if (workload !== undefined) {
    await untilManagersReady(hub.client, options, context);
    terminal.err(`The managers run in namespace ${namespace}. Next: ${NEXT_JOIN}\n`);
  } else if (manager !== undefined) {
    terminal.err(
      `A manager in the cluster may run as the ServiceAccount ${MANAGER_ACCOUNT} of ${namespace}. Next: start it, then ${NEXT_JOIN}\n`,
    );
  } else {
    terminal.err(`No manager was installed. Next: start one with \`meridian manager\`, then ${NEXT_JOIN}\n`);
  }
  return EXIT.ok;
}

const NEXT_JOIN = `\`${joinCommand()}\` for each member; when \`meridian status\` says that they are Ready, apply a Placement and an application.`;

/** Kinds are resolved to those that the hub serves: a right on an unknown kind helps nobody. */
async function managerAccess({ manager, namespace }: InstallOptions, hub: Client): Promise<ManagerAccess | undefined> {
  if (manager?.kinds === undefined) return manager === undefined ? undefined : { ...manager, namespace };
  const served = await new Discovery(hub, systemClock).list();
  return { ...manager, namespace, kinds: resolveHubKinds(manager.kinds, served) };
}

/** If webhooks convert the kind, every version stays served. */
async function asServed(crd: KubeObject, hub: Client, signal: AbortSignal): Promise<KubeObject> {
  const live = await find(hub, CRDS, undefined, crd.metadata.name, signal);
  return live !== undefined && isConverted(live) ? servingAllVersions(crd) : crd;
}

function labelled(crd: KubeObject): KubeObject {
  return { ...crd, metadata: { ...crd.metadata, labels: { ...crd.metadata.labels, ...INSTALLED_LABELS } } };
}

/** Throws {@link CommandError} if any object cannot be written, after naming all of these. */
function refuse(checked: readonly Checked[], where: Whereabouts, { terminal }: CommandContext): void {
  const refused = checked.flatMap(({ wanted, verdict }) =>
    verdict.kind === "Refused" ? [`${label(wanted)}: ${verdict.why}`] : [],
  );
  if (refused.length === 0) return;
  for (const line of refused) terminal.err(`${line}\n`);
  throw new CommandError(
    `${describeWhere(where)} refuses ${refused.length} of ${counted(checked.length, "object")} (see above); nothing was written: mend the causes named there and run install again`,
  );
}

async function apply(hub: Client, { wanted, type, before }: Checked, signal: AbortSignal): Promise<string> {
  return verbOf(before, await hub.apply(type, wanted, { force: true, signal }));
}

function describeVerdict({ verdict }: Checked): string {
  return verdict.kind === "Write" ? `${verdict.verb} (dry run)` : verdict.why;
}

async function untilEstablished(
  hub: Client,
  crds: readonly KubeObject[],
  options: InstallOptions,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const waiting = new Set(crds.map(({ metadata }) => metadata.name));
  const refused = new Map<string, string>();
  using progress = new Progress(terminal);
  progress.show(`waiting for ${counted(waiting.size, "kind")} to be served`);
  const logger = commandLogger(options.logLevel, terminal);
  await Promise.all(
    crds.map(async (crd) => {
      const { name } = crd.metadata;
      const common = { client: hub, timeoutMs: options.timeout, signal, logger };
      const settled = (object: KubeObject | undefined): boolean => {
        const taken = namesTaken(object);
        if (taken !== undefined) refused.set(name, taken);
        return taken !== undefined || isEstablished(object);
      };
      if (!(await follow({ ...common, type: CRDS, name }, settled)) || refused.has(name)) return;
      // Established comes a moment before the kind is served; only a list proves that.
      if (!(await follow({ ...common, type: servedType(crd), name: "none" }, () => true))) return;
      waiting.delete(name);
      progress.show(`waiting for ${counted(waiting.size, "kind")} to be served`);
    }),
  );
  if (waiting.size === 0) return;
  if (refused.size > 0) {
    const which = [...refused].map(([name, why]) => `${name}: ${why}`).join("; ");
    throw new CommandError(`other kinds of this hub have the names already (${which}); remove those first`);
  }
  const late = `not served in time: ${[...waiting].join(", ")}; see "kubectl describe crd"`;
  throw new CommandError(late, { exitCode: EXIT.timeout });
}

function servedType(crd: KubeObject): ResourceType {
  const spec = crd["spec"] as {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; storage: boolean }[];
  };
  const version = spec.versions.find(({ storage }) => storage)?.name ?? "";
  const { group, names } = spec;
  return { group, version, kind: names.kind, plural: names.plural, namespaced: spec.scope === "Namespaced" };
}

export function isEstablished(crd: KubeObject | undefined): boolean {
  return conditionsOf(crd).some(({ type, status }) => type === "Established" && status === "True");
}

/** Undefined if the server has not refused the kind. */
export function namesTaken(crd: KubeObject | undefined): string | undefined {
  return conditionsOf(crd).find(({ type, status }) => type === "NamesAccepted" && status === "False")?.message;
}

/** The server first writes `conditions: null`. */
function conditionsOf(crd: KubeObject | undefined): Condition[] {
  return ((crd?.["status"] ?? {}) as { conditions?: Condition[] | null }).conditions ?? [];
}
