import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import type { KubeObject } from "../../../src/apis/index.ts";
import { CertificateAuthority } from "../../../src/certificates/index.ts";
import {
  ApiError,
  type Clock,
  type ListOptions,
  type ResourceType,
  TransportError,
} from "../../../src/runtime/index.ts";
import {
  type ControllerOptions,
  type Faults,
  type Incoming,
  type SandboxCluster,
  startSandboxCluster,
} from "../../../src/sandbox/index.ts";
import { InProcessClient } from "./inProcessClient.ts";
import type { Line, Reply, Wire } from "./wire.ts";

const CRDS = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };
const NAMESPACES = { group: "", plural: "namespaces" };
const SERVICE_ACCOUNTS = { group: "", plural: "serviceaccounts" };
const CLUSTER_ROLE_BINDINGS = { group: "rbac.authorization.k8s.io", plural: "clusterrolebindings" };
/** Whoever acts in these tests without another name. */
const PERSON = "kubectl";
const QUIET_TURNS = 3;

export interface TestClusterOptions {
  name: string;
  clock: Clock;
  /** False: an API server alone. */
  controllers: ControllerOptions | false;
}

/**
 * A cluster of the sandbox on a clock that the test turns, reached without sockets. What a test does there itself, it does as `kubectl`;
 * reading costs no request.
 */
export class TestCluster implements Wire, AsyncDisposable {
  readonly name: string;
  readonly #cluster: SandboxCluster;
  readonly #kubectl: InProcessClient;
  /** Open watches, with their paths. */
  readonly #lines = new Map<Line, string>();
  #administrators = 0;
  /** Plurals whose next list shows one object only; watch-lists of them are refused meanwhile. */
  readonly #lies = new Map<string, { count: number }>();
  /** False: an API server from before watch-lists. */
  watchLists = true;
  /** Watches report a change after whoever made it has the answer. */
  slowWatches = false;

  private constructor(cluster: SandboxCluster, clock: Clock) {
    this.name = cluster.name;
    this.#cluster = cluster;
    this.#kubectl = this.connect(clock);
    cluster.faults.onEvent((event) => {
      const cut = event.kind === "Changed" && /reset|refuse/.test(event.settings.partition ?? "");
      if (cut || event.kind === "Crash") this.breakConnections();
    });
  }

  static async start({ name, clock, controllers }: TestClusterOptions): Promise<TestCluster> {
    const authority = await sharedAuthority(clock);
    const cluster = await startSandboxCluster({ name, authority, clock, random: () => 0.5, controllers });
    return new TestCluster(cluster, clock);
  }

  /** With the kinds of Meridian; no controllers, as the tests make there what they need. */
  static async startHub(clock: Clock): Promise<TestCluster> {
    const hub = await TestCluster.start({ name: "hub", clock, controllers: false });
    await hub.install(...crds());
    return hub;
  }

  get faults(): Faults {
    return this.#cluster.faults;
  }

  /** The resourceVersion of the latest change. */
  get version(): string {
    return this.#cluster.resourceVersion();
  }

  /** By which members and hubs are distinguished. */
  get uid(): string {
    return this.#cluster.local.get(NAMESPACES, undefined, "kube-system")?.metadata.uid ?? "";
  }

  /** Plurals of what is watched now, in order. */
  get watched(): string[] {
    return [...this.#lines.values()].map((path) => path.slice(path.lastIndexOf("/") + 1)).toSorted();
  }

  get adminToken(): string {
    return this.#cluster.adminToken;
  }

  /** As a manager has written it before. */
  applyAsMeridian(type: ResourceType, object: KubeObject): Promise<KubeObject> {
    return this.#kubectl.apply(type, object);
  }

  /** As the administrator. */
  connect(clock: Clock, guard?: () => void): InProcessClient {
    return new InProcessClient({
      cluster: this.name,
      wire: this,
      clock,
      credentials: { authorization: async () => `Bearer ${this.#cluster.adminToken}` },
      ...(guard === undefined ? {} : { guard }),
    });
  }

  get(type: ResourceType, namespace: string | undefined, name: string): KubeObject {
    const found = this.find(type, namespace, name);
    if (found === undefined) throw new ApiError(404, "NotFound", `${type.plural} "${name}" not found`);
    return found;
  }

  find(type: ResourceType, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#cluster.local.get(type, namespace, name);
  }

  has(type: ResourceType, namespace: string | undefined, name: string): boolean {
    return this.find(type, namespace, name) !== undefined;
  }

  list(
    type: ResourceType,
    options: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> = {},
  ): readonly KubeObject[] {
    return this.#cluster.local.list(type, options);
  }

  create(type: Pick<ResourceType, "group" | "plural">, object: KubeObject): Promise<KubeObject> {
    return this.#cluster.local.as(PERSON).create(type, structuredClone(object));
  }

  /** Server-side apply, by force. */
  apply(type: ResourceType, object: KubeObject): Promise<KubeObject> {
    return this.#kubectl.apply(type, object, { fieldManager: PERSON, force: true });
  }

  merge(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    patch: Parameters<SandboxCluster["local"]["patch"]>[3],
    subresource?: "status",
  ): Promise<KubeObject> {
    return this.#cluster.local.as(PERSON).patch(type, namespace, name, patch, subresource);
  }

  /** Any change of an object as `kubectl edit` makes it: read, changed, written back. */
  edit(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    change: (object: KubeObject) => void,
  ): Promise<KubeObject> {
    const object = structuredClone(this.get(type, namespace, name));
    change(object);
    return this.#cluster.local.as(PERSON).update(type, object);
  }

  delete(type: ResourceType, namespace: string | undefined, name: string): Promise<void> {
    return this.#cluster.local.as(PERSON).delete(type, namespace, name);
  }

  /** Takes every fault and all objects of these kinds away, whatever holds them. */
  async empty(...types: ResourceType[]): Promise<void> {
    this.faults.clear();
    this.#lies.clear();
    this.watchLists = true;
    for (const type of types) {
      for (const { metadata } of this.list(type)) {
        const { namespace, name, finalizers = [], deletionTimestamp } = metadata;
        if (deletionTimestamp === undefined) await this.delete(type, namespace, name);
        if (finalizers.length > 0) await this.merge(type, namespace, name, { metadata: { finalizers: null } });
      }
    }
  }

  /** Installs kinds, and waits until they are served. */
  async install(...given: KubeObject[]): Promise<void> {
    for (const crd of given) await this.#cluster.local.as(PERSON).create(CRDS, crd);
    while (given.some(({ metadata }) => !isEstablished(this.#cluster.local.get(CRDS, undefined, metadata.name))))
      await new Promise((resolve) => setImmediate(resolve));
  }

  /** Of an administrator of another name, each time a new one; it lives as long as tests do. */
  async anotherToken(): Promise<string> {
    const name = `administrator-${(this.#administrators += 1)}`;
    const metadata = { name, namespace: "kube-system" };
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata };
    await this.create(SERVICE_ACCOUNTS, account);
    await this.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    });
    const path = `/api/v1/namespaces/kube-system/serviceaccounts/${name}/token`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 864_000 } };
    const answer = (await this.#kubectl.raw("POST", path, { body })) as { status: { token: string } };
    return answer.status.token;
  }

  /** The next list of each of these kinds shows the first object only. */
  lieOnce(...types: ResourceType[]): { count: number } {
    const lies = { count: 0 };
    for (const { plural } of types) this.#lies.set(plural, lies);
    return lies;
  }

  /** Every open stream breaks off, as with the connection under it. */
  breakConnections(): void {
    const error = new TransportError("ConnectionReset", "connection reset");
    for (const line of [...this.#lines.keys()]) line.cut(error);
  }

  /** A request of anybody, over no network. */
  async answer(request: Incoming): Promise<Reply> {
    if (!this.watchLists && request.query.get("sendInitialEvents") === "true") return refusedWatchList();
    const reply = await this.#cluster.answer(request);
    if (reply.kind === "Whole") return this.#shortened(request, reply);
    if (reply.kind !== "Stream") return reply;
    const begin = async (line: Line): Promise<Disposable> => {
      const running = await reply.begin(this.slowWatches ? aTurnLater(line) : line);
      this.#lines.set(line, request.path);
      return {
        [Symbol.dispose]: () => {
          this.#lines.delete(line);
          running[Symbol.dispose]();
        },
      };
    };
    return { ...reply, begin };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.stop();
  }

  #shortened({ method, path, query }: Incoming, reply: Extract<Reply, { kind: "Whole" }>): Reply {
    const plural = path.split("/").at(-1) ?? "";
    const lies = this.#lies.get(plural);
    // A list of one object asks where the server is, not what there is.
    if (lies === undefined || method !== "GET" || reply.status !== 200 || query.get("limit") === "1") return reply;
    this.#lies.delete(plural);
    lies.count += 1;
    const list = JSON.parse(reply.body.toString()) as { items: unknown[] };
    return { ...reply, body: JSON.stringify({ ...list, items: list.items.slice(0, 1) }) };
  }
}

function aTurnLater(line: Line): Pick<Line, "send" | "end"> {
  return { send: (text) => void setImmediate(() => line.send(text)), end: () => void setImmediate(() => line.end()) };
}

/** Controllers of the sandbox do a little each turn of the event loop: until what is there has not changed for some turns. */
export async function untilQuiet(state: () => string): Promise<void> {
  for (let quiet = 0, before = ""; quiet < QUIET_TURNS; quiet++) {
    const now = state();
    if (now !== before) quiet = 0;
    before = now;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Certificates are not checked here, and each authority costs as much as a cluster. */
function sharedAuthority(clock: Clock): Promise<CertificateAuthority> {
  return (authority ??= CertificateAuthority.create({ name: "tests", now: clock.now() }));
}
let authority: Promise<CertificateAuthority> | undefined;

function isEstablished(crd: KubeObject | undefined): boolean {
  const { conditions } = (crd?.["status"] ?? {}) as { conditions?: { type: string; status: string }[] | null };
  return conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
}

function crds(): KubeObject[] {
  const folder = new URL("../../../charts/meridian/files/crds/", import.meta.url);
  parsedCrds ??= readdirSync(folder).map((file) => parse(readFileSync(new URL(file, folder), "utf8")) as KubeObject);
  return structuredClone(parsedCrds);
}
let parsedCrds: KubeObject[] | undefined;

function refusedWatchList(): Reply {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "Invalid",
    message: "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
    code: 422,
  };
  return { kind: "Whole", status: 422, headers: { "content-type": "application/json" }, body: JSON.stringify(status) };
}
