import type { KubeObject } from "../../src/apis/index.ts";
import { type Api, ApiFailure } from "../envtest/index.ts";
import { collectionPath, type DataObject, objectPath, pathOf } from "./objects.ts";

/** A third-party kind as its operator brings it, and a stand-in for that operator. */

export interface MysqlCluster extends KubeObject {
  spec: { replicas?: number; secretName: string; mysqlVersion?: string; volumeSpec?: object };
  status?: {
    observedGeneration?: number;
    readyNodes?: number;
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime: string }[];
  };
}

const string = { type: "string" };
const integer = { type: "integer", format: "int32", minimum: 0 };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const MYSQL_CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "mysqlclusters.mysql.presslabs.org" },
  spec: {
    group: "mysql.presslabs.org",
    scope: "Namespaced",
    names: { plural: "mysqlclusters", singular: "mysqlcluster", kind: "MysqlCluster", shortNames: ["mysql"] },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.readyNodes" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["secretName"],
                properties: { replicas: integer, secretName: string, mysqlVersion: string, volumeSpec: anything },
              },
              status: anything,
            },
          },
        },
      },
    ],
  },
};

/** A further definition of the operator, of the same group. */
function furtherCrd(kind: string) {
  const plural = `${kind.toLowerCase()}s`;
  const [version] = MYSQL_CRD.spec.versions;
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  return {
    ...MYSQL_CRD,
    metadata: { name: `${plural}.mysql.presslabs.org` },
    spec: {
      ...MYSQL_CRD.spec,
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ ...version, subresources: { status: {} }, schema }],
    },
  };
}

/** Every definition of the operator's chart. */
export const MYSQL_CRDS = [MYSQL_CRD, ...["MysqlBackup", "MysqlDatabase", "MysqlUser"].map(furtherCrd)];

/** As in the example of the operator's own documentation. */
export function mysqlCluster(namespace: string, name: string, replicas: number): MysqlCluster {
  return {
    apiVersion: "mysql.presslabs.org/v1alpha1",
    kind: "MysqlCluster",
    metadata: { name, namespace },
    spec: {
      replicas,
      secretName: `${name}-secret`,
      mysqlVersion: "5.7",
      volumeSpec: {
        persistentVolumeClaim: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    },
  };
}

/**
 * What the operator does on one member, as far as Meridian can tell: for each MysqlCluster a StatefulSet, two Services and a claim for each
 * replica, which are the cluster's own and go with it; and a status. The password of the Secret is kept as an annotation of the StatefulSet's
 * pods, as an operator that restarts them after a rotation does.
 */
export class StandInOperator implements AsyncDisposable {
  readonly #api: Api;
  readonly #stop = new AbortController();
  readonly #streams: Promise<void>[];
  /** One object after the other. */
  #turn: Promise<void> = Promise.resolve();
  #broken: unknown;

  constructor(api: Api) {
    this.#api = api;
    this.#streams = [
      this.#follow<MysqlCluster>("MysqlCluster", ({ metadata }) => [metadata]),
      this.#follow<DataObject>("Secret", async ({ metadata }) => {
        const clusters = await this.#api.list<MysqlCluster>(collectionPath("MysqlCluster", metadata.namespace));
        return clusters.filter(({ spec }) => spec.secretName === metadata.name).map((one) => one.metadata);
      }),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#streams);
    await this.#turn;
    if (this.#broken !== undefined) throw new Error("the stand-in operator broke down", { cause: this.#broken });
  }

  async #follow<T extends KubeObject>(
    kind: string,
    concerned: (object: T) => KubeObject["metadata"][] | Promise<KubeObject["metadata"][]>,
  ): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        for await (const { object } of this.#api.watch<T>(collectionPath(kind), signal))
          for (const { namespace = "", name } of await concerned(object)) this.#enqueue(namespace, name);
      } catch (error) {
        if (!signal.aborted && !isPassing(error)) {
          this.#broken = error;
          return;
        }
      }
      await pause(signal);
    }
  }

  #enqueue(namespace: string, name: string): void {
    this.#turn = this.#turn
      .then(() => this.#reconcile(namespace, name))
      .catch((error: unknown) => {
        if (!isPassing(error)) this.#broken ??= error;
      });
  }

  async #reconcile(namespace: string, name: string): Promise<void> {
    const path = objectPath("MysqlCluster", namespace, name);
    const cluster = await this.#api.find<MysqlCluster>(path);
    const secret = await this.#api.find<DataObject>(
      objectPath("Secret", namespace, cluster?.spec.secretName ?? `${name}-secret`),
    );
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return;
    const { replicas = 1 } = cluster.spec;
    for (const object of objectsOf(cluster, secret?.data?.["ROOT_PASSWORD"] ?? "")) {
      await this.#api.apply(pathOf(object), object, "mysql-operator");
    }
    const { generation, uid } = cluster.metadata;
    const isReady = secret !== undefined;
    const was = cluster.status?.conditions?.[0];
    const status: MysqlCluster["status"] = {
      observedGeneration: generation ?? 0,
      readyNodes: isReady ? replicas : 0,
      conditions: [
        {
          type: "Ready",
          status: isReady ? "True" : "False",
          reason: isReady ? "ClusterReady" : "SecretMissing",
          message: isReady ? "" : `Secret ${cluster.spec.secretName} is not there`,
          lastTransitionTime:
            was !== undefined && (was.status === "True") === isReady ? was.lastTransitionTime : "2026-11-22T08:00:00Z",
        },
      ],
    };
    await this.#api.patch(`${path}/status`, "merge", { metadata: { uid }, status });
  }
}

/**
 * The part of an operator that its removal depends on: a finalizer on each MysqlCluster of one member, which is taken off while the operator's
 * Deployment is there, and never afterwards.
 */
export class FinalizingOperator implements AsyncDisposable {
  /** Databases after which it has cleaned up: `namespace/name`. */
  readonly cleanedUp = new Set<string>();
  readonly #api: Api;
  readonly #deployment: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  /** `deployment`: path of the operator's Deployment. */
  constructor(api: Api, deployment: string) {
    this.#api = api;
    this.#deployment = deployment;
    // A database that came before the Deployment is taken up when the Deployment comes.
    this.#running = Promise.all([this.#follow("MysqlCluster"), this.#follow("Deployment")]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(kind: string): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        for await (const _ of this.#api.watch(collectionPath(kind), signal))
          for (const cluster of await this.#api.list<MysqlCluster>(collectionPath("MysqlCluster")))
            await this.#reconcile(cluster);
      } catch (error) {
        if (!signal.aborted && !isPassing(error)) throw error;
      }
      await pause(signal);
    }
  }

  async #reconcile({ metadata }: MysqlCluster): Promise<void> {
    const { namespace = "", name, uid, finalizers = [], deletionTimestamp } = metadata;
    const path = objectPath("MysqlCluster", namespace, name);
    const deployment = await this.#api.find(this.#deployment);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const set = (wanted: string[]) => this.#api.patch(path, "merge", { metadata: { uid, finalizers: wanted } });
    if (deletionTimestamp === undefined && finalizers.length === 0) await set(["mysql.presslabs.org/cleanup"]);
    if (deletionTimestamp === undefined || finalizers.length === 0) return;
    this.cleanedUp.add(`${namespace}/${name}`);
    await set([]);
  }
}

/** In the name of the MysqlCluster: the member's own garbage collector removes them with it. */
function objectsOf(cluster: MysqlCluster, password: string): KubeObject[] {
  const { name, namespace, uid = "" } = cluster.metadata;
  const { replicas = 1 } = cluster.spec;
  const labels = { "app.kubernetes.io/name": "mysql", "mysql.presslabs.org/cluster": name };
  const owner = { apiVersion: cluster.apiVersion, kind: cluster.kind, name, uid, controller: true };
  const metadata = (suffix: string) => ({
    name: `${name}-mysql${suffix}`,
    ...(namespace === undefined ? {} : { namespace }),
    labels,
    ownerReferences: [owner],
  });
  const service = (role: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(`-${role}`),
    spec: { selector: { ...labels, role }, ports: [{ port: 3306, protocol: "TCP" }] },
  });
  const claim = (index: number): KubeObject => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata(`-${index}`), name: `data-${name}-mysql-${index}` },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  return [
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: metadata(""),
      spec: {
        replicas,
        serviceName: `${name}-mysql-replicas`,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { "mysql.presslabs.org/password": password } },
          spec: { containers: [{ name: "mysql", image: `mysql:${cluster.spec.mysqlVersion ?? "8.0"}` }] },
        },
      },
    },
    service("master"),
    service("replicas"),
    ...Array.from({ length: replicas }, (_, index) => claim(index)),
  ];
}

/** The cluster does not answer, its CRD is not there yet or not ready, or the object has changed meanwhile. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiFailure) return [404, 409, 429].includes(error.status) || error.status >= 500;
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" || (error instanceof Error && error.name === "TimeoutError");
}

/** Before the watch begins again. */
async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 250);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
