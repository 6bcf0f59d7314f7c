import { inject } from "vitest";
import {
  customResourceDefinitions,
  DEFAULT_SYSTEM_NAMESPACE,
  FEDERATION_GROUP,
  type KindDefinition,
  type KubeObject,
} from "../../src/apis/index.ts";
import { freePort } from "../../src/cmd/realClusters/index.ts";
import { HubCache } from "../../src/hub/index.ts";
import { createLogger, Metrics } from "../../src/observability/index.ts";
import { createClient, loadHubConfig, systemClock } from "../../src/runtime/index.ts";
import { startWebhooks } from "../../src/webhooks/index.ts";
import { GOOD_OBJECTS } from "../builders/goodObjects.ts";
import type { Plane } from "../envtest/index.ts";

/** What the tests of a version to come need: a manager that knows the version, and CRDs that have it. */

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export interface Version {
  name: string;
  served: boolean;
  storage: boolean;
}

interface Crd {
  spec: { conversion: { strategy: string; webhook?: unknown }; versions: Version[] };
  status: { storedVersions: string[] };
}

/** A real server takes long to read a CRD with rules: there one kind of the whole cluster and one of a namespace stand for all. */
const onRealServers: readonly string[] = ["MemberCluster", "OverridePolicy"];

/** Those of the kinds that have the version that comes, and are tried here. */
export function triedOf(kinds: readonly KindDefinition[]): readonly KindDefinition[] {
  const isTried = (kind: string): boolean => inject("clusters") === "sandbox" || onRealServers.includes(kind);
  return kinds.filter(({ group, kind }) => group === FEDERATION_GROUP && isTried(kind));
}

/** Good objects of these kinds, of names of their own. */
export function goodObjectsOf(kinds: readonly KindDefinition[]): KubeObject[] {
  return GOOD_OBJECTS.map(({ object }) => object)
    .filter((object) => kinds.some(({ kind }) => kind === object.kind))
    .map((object, index) => ({ ...object, metadata: { ...object.metadata, name: `good-${index}` } }));
}

export async function crdOf(hub: Plane, name: string): Promise<Crd> {
  return hub.api.get<Crd>(`${CRDS}/${name}`);
}

export async function patchCrd(hub: Plane, name: string, patch: object): Promise<void> {
  await hub.api.patch(`${CRDS}/${name}`, "merge", patch);
}

/** Gives the CRDs on the hub the versions of these kinds, each version served as `served` says. */
export async function giveVersions(
  hub: Plane,
  kinds: readonly KindDefinition[],
  served: (version: Version) => boolean = ({ served: own }) => own,
): Promise<void> {
  for (const crd of customResourceDefinitions(kinds)) {
    const { versions } = crd["spec"] as { versions: Version[] };
    const wanted = versions.map((version) => ({ ...version, served: served(version) }));
    await patchCrd(hub, crd.metadata.name, { spec: { versions: wanted } });
  }
}

/** The webhooks of a manager that knows these kinds. They run here: the program knows only the versions that there are. */
export async function serveKinds(hub: Plane, kinds: readonly KindDefinition[]): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const port = await freePort();
  const config = loadHubConfig({ kubeconfig: hub.kubeconfigFile, context: undefined, env: {}, allowExec: false });
  const client = started.use(createClient(config, { cluster: "hub", clock: systemClock }));
  const logger = createLogger({ level: "silent" });
  const metrics = new Metrics({ processMetrics: false });
  const common = { client, clock: systemClock, logger, metrics };
  const cache = new HubCache({ ...common, random: Math.random });
  const end = new AbortController();
  const running = cache.run(end.signal);
  started.defer(async () => {
    end.abort(new Error("the test is over"));
    await running;
  });
  started.use(
    startWebhooks({
      ...common,
      hub: cache,
      kinds,
      namespace: DEFAULT_SYSTEM_NAMESPACE,
      port,
      host: "127.0.0.1",
      target: { kind: "Url", url: `https://127.0.0.1:${port}` },
      configurationName: "meridian",
      secretName: "meridian-webhooks",
    }),
  );
  return started.move();
}

/** Path of an object in a version, by default the object's own. */
export function pathIn(kinds: readonly KindDefinition[], object: KubeObject, version?: string): string {
  const kind = kinds.find((one) => one.kind === object.kind);
  if (kind === undefined) throw new Error(`${object.kind} is not one of these kinds`);
  const { namespace, name } = object.metadata;
  const own = object.apiVersion.slice(object.apiVersion.indexOf("/") + 1);
  const where = namespace === undefined ? "" : `namespaces/${namespace}/`;
  return `/apis/${kind.group}/${version ?? own}/${where}${kind.plural}/${name}`;
}
