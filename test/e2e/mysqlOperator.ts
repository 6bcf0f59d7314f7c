import type { KubeObject } from "../../src/apis/index.ts";
import { type Api, ApiFailure } from "../envtest/index.ts";
import { collectionPath, objectPath } from "./objects.ts";

/** A third-party kind as its operator brings it, and the part of that operator which its removal depends on. */

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
