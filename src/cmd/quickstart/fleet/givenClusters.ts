import { defined, joinCommand, type KubeObject } from "../../../apis/index.ts";
import { builtInTypeOf, type Client, CRDS, isMissing, NAMESPACES, SECRETS } from "../../../runtime/index.ts";
import {
  clusterUid,
  type CommandContext,
  CommandError,
  commandLogger,
  connectGiven,
  describeAnswer,
  find,
  follow,
  isManagerRunning,
} from "../../shared/index.ts";
import { memberAccess, unjoin } from "../../member/index.ts";
import type { QuickstartFleet } from "./fleet.ts";
import { describeRights, hubRights, memberRights, missingRights, OWN_TYPES } from "./rights.ts";

export interface Place {
  namespace: string;
  leaseName: string;
}

/** What this run made on the person's clusters. */
export interface Made {
  crds: string[];
  namespace: boolean;
  /** Members that this run joined. */
  members: string[];
  objects: KubeObject[];
}

export function nothingMade(): Made {
  return { crds: [], namespace: false, members: [], objects: [] };
}

export function isNothing({ crds, namespace, members, objects }: Made): boolean {
  return !namespace && crds.length + members.length + objects.length === 0;
}

/** Throws {@link CommandError} when the clusters do not allow the quickstart's work. Writes nothing. */
export async function checkGivenClusters(
  fleet: QuickstartFleet,
  hub: Client,
  { namespace, leaseName }: Place,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const access = memberAccess(await clusterUid(hub, signal), namespace);
  const lacking: string[] = [];
  const ask = async (name: string, client: Client, needed: ReturnType<typeof hubRights>): Promise<void> => {
    const missing = await missingRights(client, needed, signal);
    if (missing.length === 0) return;
    lacking.push(name);
    const lines = describeRights(missing).map((line) => `  ${line}\n`);
    terminal.err(`${name}: the kubeconfig's user may not\n${lines.join("")}`);
  };
  await ask("hub", hub, hubRights(namespace));
  for (const { name, kubeconfigFile } of fleet.members) {
    await using member = connectGiven(name, kubeconfigFile);
    await ask(name, member.client, memberRights(access));
  }
  if (lacking.length > 0) {
    throw new CommandError(
      `rights are missing on ${lacking.join(", ")} (listed above): use an administrator's kubeconfig`,
    );
  }
  if (await isManagerRunning(hub, namespace, leaseName, signal)) {
    throw new CommandError(
      `a manager works on this hub already: add clusters to it with \`${joinCommand()}\`, or stop it first`,
    );
  }
}

/** Removes what this run made. Returns sentences about leftovers. While there are members the manager must run. */
export async function removeMade(
  made: Made,
  fleet: QuickstartFleet,
  hub: Client,
  place: Place,
  options: { managed: boolean; say: (text: string) => void; signal: AbortSignal; timeoutMs: number },
): Promise<string[]> {
  const { managed, say, signal, timeoutMs } = options;
  const left: string[] = [];
  const attempt = attempting(left);
  const terminal = { out: say, err: say, color: false, interactive: false };
  const logger = commandLogger("info", terminal);
  for (const object of made.objects.toReversed()) {
    const { namespace, name, uid } = object.metadata;
    await attempt(`${object.kind}/${name}`, async () => {
      await hub.delete(builtInTypeOf(object), namespace, name, { signal, ...defined({ uid }) });
      if (!managed) return;
      const gone = await follow(
        { client: hub, type: builtInTypeOf(object), name, timeoutMs, signal, logger },
        (found) => found === undefined || found.metadata.uid !== uid,
      );
      const where = namespace === undefined ? "" : ` -n ${namespace}`;
      const command = `kubectl get ${object.kind.toLowerCase()} ${name}${where} -o yaml`;
      if (!gone) throw new CommandError(`not gone in time; \`${command}\` shows what it waits for`);
    });
  }
  for (const name of made.members) {
    const member = fleet.members.find((candidate) => candidate.name === name);
    await attempt(`membercluster/${name}`, async () => {
      await unjoin(
        name,
        {
          ...place,
          kubeconfig: fleet.hub.kubeconfigFile,
          logLevel: "info",
          // Without a manager, nothing was written to the members.
          deletionPolicy: managed ? "Drain" : "Orphan",
          isChosen: true,
          force: !managed,
          dryRun: false,
          timeout: timeoutMs,
          ...defined({ memberKubeconfig: member?.kubeconfigFile }),
        },
        { terminal, signal, env: {} },
      );
    });
  }
  return left;
}

/** Removes the rest after the manager has stopped: unused CRDs, and Meridian's namespace. */
export async function removeInstallation(
  made: Made,
  hub: Client,
  { namespace }: Place,
  signal: AbortSignal,
): Promise<string[]> {
  const left: string[] = [];
  const attempt = attempting(left);
  for (const type of OWN_TYPES) {
    const name = `${type.plural}.${type.group}`;
    if (!made.crds.includes(name)) continue;
    await attempt(name, async () => {
      const { items } = await hub.list(type, { metadataOnly: true, limit: 1, signal });
      if (items.length > 0) left.push(`${name} is in use, and stays`);
      else await hub.delete(CRDS, undefined, name, { signal });
    });
  }
  if (!made.namespace) return left;
  await attempt(`namespace ${namespace}`, async () => {
    const { items } = await hub.list(SECRETS, { namespace, metadataOnly: true, limit: 1, signal });
    if (items.length > 0) return void left.push(`the namespace ${namespace} holds a Secret, and stays`);
    await hub.delete(NAMESPACES, undefined, namespace, { signal });
    // A person who starts again at once would find the namespace half removed.
    const common = { client: hub, signal, logger: commandLogger("info", SILENT), timeoutMs: NAMESPACE_MS };
    await follow({ ...common, type: NAMESPACES, name: namespace }, (found) => found === undefined);
  });
  return left;
}

/** Runs work on objects that may be gone. Failures are written into `left`. */
function attempting(left: string[]): (what: string, work: () => Promise<void>) => Promise<void> {
  return async (what, work) => {
    try {
      await work();
    } catch (error) {
      if (!isMissing(error)) left.push(`${what}: ${describeAnswer(error)}`);
    }
  };
}

const SILENT = { out: () => undefined, err: () => undefined, color: false, interactive: false };
/** An empty namespace needs about ten seconds to go. */
const NAMESPACE_MS = 30_000;

/** What this run will install. */
export async function notInstalled(
  hub: Client,
  { namespace }: Place,
  signal: AbortSignal,
): Promise<Pick<Made, "crds" | "namespace">> {
  const names = OWN_TYPES.map(({ plural, group }) => `${plural}.${group}`);
  const found = await Promise.all(names.map((name) => find(hub, CRDS, undefined, name, signal)));
  return {
    crds: names.filter((_, index) => found[index] === undefined),
    namespace: (await find(hub, NAMESPACES, undefined, namespace, signal)) === undefined,
  };
}
