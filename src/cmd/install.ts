import type { Condition, KubeObject } from "../apis/index.ts";
import { type Client, CRDS, NAMESPACES, type ResourceType } from "../runtime/index.ts";
import { commandLogger, type CommandContext, connectHub, find } from "./connection.ts";
import { loadCrds } from "./crds.ts";
import { follow } from "./follow.ts";
import type { InstallOptions } from "./options.ts";
import { CommandError, EXIT } from "./outcome.ts";
import { Progress } from "./terminal.ts";

/** Brings the CRDs and Meridian's own namespace to the hub, and waits until the new kinds are served. Doing it again does no harm. */
export async function install(options: InstallOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const crds = await loadCrds();
  await using hub = connectHub(options, context);
  for (const crd of crds) {
    const before = await find(hub.client, CRDS, undefined, crd.metadata.name, signal);
    const after = await hub.client.apply(CRDS, crd, { force: true, dryRun: options.dryRun, signal });
    terminal.out(`customresourcedefinition/${crd.metadata.name} ${verb(before, after, options.dryRun)}\n`);
  }
  terminal.out(`namespace/${options.namespace} ${await ensureNamespace(hub.client, options, signal)}\n`);
  if (!options.dryRun) await untilEstablished(hub.client, crds, options, context);
  return EXIT.ok;
}

async function ensureNamespace(
  hub: Client,
  { namespace: name, dryRun }: InstallOptions,
  signal: AbortSignal,
): Promise<string> {
  const before = await find(hub, NAMESPACES, undefined, name, signal);
  if (before !== undefined) return "unchanged";
  await hub.apply(
    NAMESPACES,
    { apiVersion: "v1", kind: "Namespace", metadata: { name } },
    { force: true, dryRun, signal },
  );
  return verb(undefined, undefined, dryRun);
}

function verb(before: KubeObject | undefined, after: KubeObject | undefined, dryRun: boolean): string {
  const word =
    before === undefined
      ? "created"
      : before.metadata.generation === after?.metadata.generation
        ? "unchanged"
        : "configured";
  return dryRun ? `${word} (dry run)` : word;
}

async function untilEstablished(
  hub: Client,
  crds: readonly KubeObject[],
  options: InstallOptions,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const waiting = new Set(crds.map(({ metadata }) => metadata.name));
  using progress = new Progress(terminal);
  progress.show(`waiting for ${waiting.size} kinds to be served`);
  const logger = commandLogger(options.logLevel, terminal);
  await Promise.all(
    crds.map(async (crd) => {
      const { name } = crd.metadata;
      const common = { client: hub, timeoutMs: options.timeout, signal, logger };
      if (!(await follow({ ...common, type: CRDS, name }, isEstablished))) return;
      // Established is said a moment before the server answers for the kind; a list that succeeds, of nothing, is the proof.
      if (!(await follow({ ...common, type: typeOf(crd), name: "none" }, () => true))) return;
      waiting.delete(name);
      progress.show(`waiting for ${waiting.size} kinds to be served`);
    }),
  );
  if (waiting.size === 0) return;
  throw new CommandError(`not served in time: ${[...waiting].join(", ")}; see "kubectl describe crd"`, {
    exitCode: EXIT.timeout,
  });
}

/** The kind that a CRD defines, in the version that is stored. */
function typeOf(crd: KubeObject): ResourceType {
  const spec = crd["spec"] as {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; storage: boolean }[];
  };
  const version = spec.versions.find(({ storage }) => storage)?.name ?? "";
  return {
    group: spec.group,
    version,
    kind: spec.names.kind,
    plural: spec.names.plural,
    namespaced: spec.scope === "Namespaced",
  };
}

/** Whether the server took the kind on. The server writes `conditions: null` between the creation and its first look at the CRD. */
export function isEstablished(crd: KubeObject | undefined): boolean {
  const { conditions } = (crd?.["status"] ?? {}) as { conditions?: Condition[] | null };
  return (conditions ?? []).some(({ type, status }) => type === "Established" && status === "True");
}
