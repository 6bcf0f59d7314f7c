import { onTestFinished } from "vitest";
import {
  DEFAULT_CLASS,
  FEDERATION_API_VERSION,
  type FederatedStatus,
  type KubeObject,
  refKey,
} from "../../apis/index.ts";
import type { ClusterContact } from "../tables/clusterContact.ts";
import type { ResolvedNeeds, Row } from "../../desiredstate/index.ts";
import { StatusStore } from "../../hub/index.ts";
import { application, SELECTS_APPLICATIONS, setUpHub } from "../../hub/testing/fakeHub.ts";
import { type EventRecord, type EventRecorder, Metrics, RecoveryRecorder } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import {
  ApiError,
  type Client,
  CRDS,
  DEMOAPPLICATIONS,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  type ReconcileContext,
  type Reconciler,
  type ResourceType,
  type Result,
} from "../../runtime/index.ts";
import type { FakeCluster } from "../../runtime/testing/fakeClient.ts";
import { Assignments } from "../tables/assignments.ts";
import { ControllerClasses } from "../facts/controllerClasses.ts";
import { DependencyWatches } from "../facts/dependencies.ts";
import { HubNamespaces } from "../facts/hubNamespaces.ts";
import { managerHubState } from "../facts/managerHubState.ts";
import { MissingOwners } from "../facts/missingOwners.ts";
import { Observations } from "../tables/observations.ts";
import { resolvedOf } from "../object/plan/objectDependencies.ts";
import { PlacementReconciler } from "../object/placement.ts";
import { PlanningProgress } from "../facts/planningProgress.ts";
import { ObjectStates, Capacities } from "../states/index.ts";
import { PolicyProgress } from "../progress/policyProgress.ts";
import { Gates } from "../facts/gates.ts";
import { Revisions } from "../facts/revisions.ts";
import { RolloutSlots } from "../facts/rolloutSlots.ts";
import { EvictionPace } from "../facts/evictionPace.ts";
import { ReportedContacts } from "../tables/reportedContacts.ts";
import { absent, inContact, observation } from "./builders.ts";

/** A hub in memory with all tables of the controllers, for tests of one controller at a time. */

export const APP = refKey({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  namespace: "default",
  name: "shop",
});

export function app(metadata: Partial<KubeObject["metadata"]> = {}, spec: object = {}): KubeObject {
  const name = metadata.name ?? "shop";
  return application(name, "default", {
    metadata: { name, namespace: "default", generation: 1, ...metadata },
    spec: { image: "nginx:1.27", replica: 2, ...spec },
  });
}

export function cluster(name: string, labels: Record<string, string> = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind: "MemberCluster",
    metadata: { name, labels, generation: 1 },
    spec: { connection: { local: {} }, ...spec },
  };
}

/** The status of an application that runs on these clusters, as a merge patch. */
export function statusOn(...clusters: readonly string[]): { status: FederatedStatus } {
  const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
  const entries = clusters.map((name) => ({ name, state: "Available" as const, replicas }));
  return { status: { observedGeneration: 1, clusters: entries } };
}

/** Places every application on these clusters. */
export function placement(clusterNames: readonly string[], spec: object = {}): KubeObject {
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind: "Placement",
    metadata: { name: "everywhere", namespace: "default", generation: 1 },
    spec: {
      resourceSelectors: [SELECTS_APPLICATIONS],
      clusterAffinities: [{ name: "these", clusterNames }],
      replicaScheduling: { mode: "Duplicated" },
      ...spec,
    },
  };
}

/** Applies JSON patches, which the fake server does not support: the operations test, add and remove. */
function jsonPatch(
  server: FakeCluster,
  type: ResourceType,
  namespace: string | undefined,
  name: string,
  body: unknown,
) {
  const object = server.get(type, namespace, name) as unknown as Record<string, unknown>;
  const patch: Record<string, unknown> = {};
  for (const { op, path, value } of body as { op: string; path: string; value?: unknown }[]) {
    const steps = path
      .slice(1)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const there = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], object);
    if (op === "test" && JSON.stringify(there ?? null) !== JSON.stringify(value ?? null))
      throw new ApiError(422, "Invalid", `the test of ${path} failed`);
    if (op === "test") continue;
    let at = patch;
    for (const step of steps.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
    at[steps.at(-1) ?? ""] = op === "remove" ? null : value;
  }
  return server.merge(type, namespace, name, patch);
}

export interface Woken {
  key: string;
  afterMs: number | undefined;
}

/** A hub with one namespace, these clusters (all in contact) and the given objects. All caches have synced. */
export async function planning(
  objects: {
    apps?: readonly KubeObject[];
    placements?: readonly KubeObject[];
    clusters?: readonly string[];
    /** Objects of a kind that is sent as it is. */
    sent?: { type: ResourceType; objects: readonly KubeObject[] };
  } = {},
  { classes: names = [DEFAULT_CLASS] }: { classes?: readonly string[] } = {},
) {
  const { apps = [app()], placements = [placement(["a", "b"])], clusters = ["a", "b"], sent } = objects;
  const { hub, server, cache, clock, start, settle } = setUpHub();
  server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  hub.serve(CRDS);
  server.create(CRDS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "demoapplications.paas.cmft.com" },
  });
  for (const name of clusters) server.create(MEMBERCLUSTERS, cluster(name));
  for (const one of placements) server.create(PLACEMENTS, one);
  for (const one of apps) server.create(DEMOAPPLICATIONS, one);
  if (sent !== undefined) hub.serve(sent.type);
  for (const one of sent?.objects ?? []) server.create(sent?.type ?? DEMOAPPLICATIONS, one);
  const events: EventRecord[] = [];
  const recorder = { record: (event: EventRecord) => void events.push(event) } as unknown as EventRecorder;
  const metrics = new Metrics({ processMetrics: false });
  const { logger, lines } = logLines();
  const { tracer, spans } = recordSpans();
  const state = { patchFailure: undefined as Error | undefined };
  const client: Client = hub;
  const mergePatch = hub.patch.bind(hub);
  hub.patch = async (...[type, namespace, name, patchType, body, options]) => {
    if (state.patchFailure !== undefined) throw state.patchFailure;
    if (patchType !== "application/json-patch+json")
      return await mergePatch(type, namespace, name, patchType, body, options);
    hub.calls.push(`patch ${type.plural}`);
    return jsonPatch(server, type, namespace, name, body);
  };
  const observations = new Observations();
  const states = new ObjectStates();
  const capacities = new Capacities({ states, observations, clock });
  const progress = new PlanningProgress();
  const classes = new ControllerClasses({ hub: cache, client, classes: new Set(names) });
  const assignments = new Assignments({
    observations,
    others: classes,
    monotonic: () => clock.monotonic(),
  });
  const dependencies = new DependencyWatches({ client, clock, random: () => 0.5, logger, states });
  const namespaces = new HubNamespaces({ hub: cache, protected: [] });
  const missing = new MissingOwners({ hub: cache, observations, clock, logger, metrics });
  const contacts = new ReportedContacts({ observations, clock });
  const store = new StatusStore({ hub: cache, client });
  onTestFinished(() => {
    for (const one of [classes, dependencies, namespaces, missing, contacts]) one[Symbol.dispose]();
  });
  for (const name of clusters) observations.contact(name, inContact);
  await start();
  // Discovery needs time to find the kind.
  if (sent !== undefined) await settle(10_000);
  missing.begin();
  progress.begin(cache.owners());
  const pace = new EvictionPace(cache);
  const tables = { hub: cache, assignments, observations, states, dependencies, progress, classes, missing };
  const hubState = managerHubState({ ...tables, hubId: "hub", namespaces, capacities, pace });
  const copies = { ...tables, hubState };
  const gates = new Gates({ ask: undefined, states, clock, logger });
  const revisions = new Revisions({ client, systemNamespace: "meridian-system" });
  const shared = {
    ...copies,
    policyProgress: new PolicyProgress(copies),
    client,
    store,
    revisions,
    gates,
    places: new RolloutSlots(copies),
    capacities,
    pace,
    contacts,
    namespaces,
    clock,
    metrics,
    tracer,
    recoveries: new RecoveryRecorder({ events: recorder, after: (ms, callback) => clock.after(ms, callback) }),
  };

  const context: ReconcileContext = {
    span: undefined,
    reconcileId: "reconcile-1",
    logger,
    origin: undefined,
    class: "Change",
  };
  const { signal } = new AbortController();
  const reconcileBy = (reconciler: Reconciler, key = APP): Promise<Result> =>
    reconciler.reconcile(key, signal, context);
  /** Records all keys that the controller's sources enqueue, until the test is over. */
  const wokenBy = (reconciler: Reconciler): Woken[] => {
    const woken: Woken[] = [];
    const subscriptions = new DisposableStack();
    onTestFinished(() => subscriptions.dispose());
    for (const source of reconciler.sources?.() ?? [])
      subscriptions.use(
        source.subscribe((keys, afterMs) => {
          for (const key of typeof keys === "string" ? [keys] : (keys ?? []))
            if (key !== undefined) woken.push({ key, afterMs });
        }),
      );
    return woken;
  };
  /** Rows of the application, as `cluster verb Kind/name`. */
  const rows = (owner = APP): Row[] => [...assignments.of(owner)].flatMap((cell) => cell.rows.get(owner) ?? []);
  const rowLines = (owner = APP): string[] =>
    rows(owner).map(({ cluster: on, verb, ref }) => `${on} ${verb} ${ref.kind}/${ref.name}`);
  /** Reports that the member has carried out its rows. */
  const carryOut = (on: string): void => {
    for (const { cluster: name, ref, effective } of assignments.in(on)) {
      const where = { cluster: name, ref, revision: 1_000_000 };
      const report =
        effective?.verb === "Apply"
          ? observation({
              ...where,
              inSyncWith: effective.hash,
              present: { hash: effective.hash, owner: effective.owner },
            })
          : effective?.verb === "Hold" && effective.wanted
            ? undefined
            : absent({ ...where, absent: true });
      if (report !== undefined) observations.report(on, [report]);
    }
  };
  const contact = (name: string, change: Partial<ClusterContact>): void =>
    observations.contact(name, { ...inContact, ...change });
  const onHub = (name = "shop"): KubeObject => server.get(DEMOAPPLICATIONS, "default", name);
  /** The resolved needs of an object on the hub. */
  const resolved = (owner = APP): ResolvedNeeds | undefined => {
    const found = cache.object(owner);
    return found === undefined ? undefined : resolvedOf(shared, owner, found);
  };
  const update = async (patch: object, name = "shop"): Promise<void> => {
    server.merge(DEMOAPPLICATIONS, "default", name, patch);
    await settle();
  };
  return {
    ...{ shared, server, client, cache, clock, settle, state, events, recorder, lines, spans, signal, context },
    ...{ observations, states, progress, classes, assignments, dependencies, missing, contacts, store, metrics },
    ...{ resolved, reconcileBy, wokenBy, rows, rowLines, carryOut, contact, onHub, update, hub },
  };
}

/** The placement controller, on a hub in memory. */
export async function placing(...given: Parameters<typeof planning>) {
  const all = await planning(...given);
  const warnings: string[] = [];
  const reconciler = new PlacementReconciler({
    ...all.shared,
    events: all.recorder,
    warnings: { warn: (_key, { reason, note }) => void warnings.push(`${reason}: ${note}`) },
  });
  const reconcile = (key = APP) => all.reconcileBy(reconciler, key);
  /** Reconciles twice: the second reconcile sees the writes of the first one. */
  const plan = async (): Promise<void> => {
    await reconcile();
    await all.settle();
    await reconcile();
  };
  const eventTexts = (): string[] => all.events.map(({ reason, note }) => `${reason}: ${note}`);
  return { ...all, reconciler, reconcile, plan, warnings, eventTexts };
}
