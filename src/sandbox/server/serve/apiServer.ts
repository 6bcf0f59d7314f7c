import { randomUUID } from "node:crypto";
import { Webhooks } from "../../admission/index.ts";
import type { RoleSource } from "../../authorization/index.ts";
import type { Faults } from "../../faults/index.ts";
import { ServiceAllocations } from "../../kinds/index.ts";
import type { Store } from "../../store/index.ts";
import type { KubeObject, LocalClient, ResourceName, SandboxClock } from "../../types.ts";
import { type Api, SERVER_MANAGER } from "../api.ts";
import { Authentication, RequestMetrics, type ServiceAccountTokens } from "../request/index.ts";
import { bootstrap } from "./bootstrap.ts";
import { Catalog, Conversion } from "../catalog/index.ts";
import { CustomResources } from "./crds.ts";
import { dispatch, type DispatchParts, failed, statusOf } from "./dispatch.ts";
import type { Incoming, Outgoing } from "./exchange.ts";
import { HttpServer } from "./httpServer.ts";
import { localClient } from "./localClient.ts";
import { Watches } from "../read/index.ts";

export interface ApiServerOptions {
  store: Store;
  /** Faults to inject; also the cluster's clock. */
  faults: Faults;
  tokens: ServiceAccountTokens;
  adminToken: string;
  certPem: string;
  keyPem: string;
  /** Such as `v1.35.4`. */
  version: string;
  /** Takes errors of background work. */
  report: (error: unknown) => void;
}

const RBAC = "rbac.authorization.k8s.io";
const WEBHOOKS = "admissionregistration.k8s.io";

/** One API server, from its port to its store. */
export class ApiServer implements AsyncDisposable {
  /** For the cluster's own controllers. */
  readonly local: LocalClient;
  readonly #store: Store;
  readonly #faults: Faults;
  readonly #http: HttpServer;
  readonly #watches: Watches;
  readonly #api: Api;
  readonly #parts: DispatchParts;
  readonly #info: { version: string; address: string };
  readonly #stack = new AsyncDisposableStack();

  constructor({ store, faults, tokens, adminToken, certPem, keyPem, version, report }: ApiServerOptions) {
    const { clock } = faults;
    this.#store = store;
    this.#faults = faults;
    this.#info = { version, address: "" };
    this.#watches = this.#stack.use(new Watches(clock));
    const api = (this.#api = apiOf(store, clock, tokens, report));
    this.#stack.use(api.webhooks);
    this.#parts = {
      api,
      authentication: new Authentication({ adminToken, tokens, store, clock }),
      watches: this.#watches,
      metrics: new RequestMetrics(),
      faults,
      info: this.#info,
    };
    this.#http = new HttpServer({
      certPem,
      keyPem,
      answer: (incoming) => this.answer(incoming),
      failed: (error) => failed(statusOf(this.#parts, error)),
    });
    this.local = localClient(api, "kube-controller-manager");
  }

  get port(): number {
    return this.#http.port;
  }

  answer(incoming: Incoming): Promise<Outgoing> {
    return dispatch(this.#parts, incoming);
  }

  /** Serves on that loopback port; 0 means any free port. */
  async start(port: number): Promise<void> {
    const api = this.#api;
    for (const collection of api.store.collections()) {
      if (!api.catalog.has(collection.resource)) continue;
      const { rules } = api.catalog.stored(collection.resource);
      for (const object of collection.list()) rules.onRestore?.(object, { services: api.services });
    }
    this.#stack.use(new CustomResources(api, SERVER_MANAGER));
    this.#stack.use(api.catalog.onResources(() => this.#watches.cutUnserved(api.catalog)));
    await this.#http.listen(port);
    this.#stack.defer(() => this.#http.close());
    this.#info.address = `127.0.0.1:${this.#http.port}`;
    await bootstrap(api, localClient(api, SERVER_MANAGER), this.#http.port);
    this.#stack.use(this.#followFaults());
  }

  /** Ends every watch; clients start again. */
  cutWatches(): void {
    this.#watches.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #followFaults(): Disposable {
    // Closing and listening take time, so the steps run in the order of the requests.
    let last = Promise.resolve();
    const next = (step: () => Promise<void>) => {
      last = last.then(step).catch((error: unknown) => this.#api.report(error));
    };
    const settle = () => {
      const { partition } = this.#faults.settings;
      const open = !this.#faults.crashed && partition !== "refuse";
      if (partition === "silent") this.#watches.pause();
      else this.#watches.resume();
      if (partition === "reset") this.#http.reset();
      if (open !== this.#http.listening) {
        next(() => (open ? this.#http.listen(this.#http.port) : this.#http.close()));
      }
    };
    return this.#faults.onEvent((event) => {
      switch (event.kind) {
        case "CutWatches":
          this.#watches.cut();
          return;
        case "Compact":
          this.#store.compact();
          return;
        case "Crash":
          next(() => this.#http.close());
          return;
        case "Recover":
          // A restarted server has no history.
          this.#store.compact();
          settle();
          return;
        case "Changed":
          if (event.before.partition !== event.settings.partition) settle();
      }
    });
  }
}

function apiOf(store: Store, clock: SandboxClock, tokens: ServiceAccountTokens, report: (error: unknown) => void): Api {
  const find = (resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined =>
    store.collection(resource).get(namespace, name);
  const list = (group: string, plural: string, namespace?: string) =>
    store.collection({ group, plural }).list(namespace);
  const roles: RoleSource = {
    clusterRole: (name) => find({ group: RBAC, plural: "clusterroles" }, undefined, name),
    role: (namespace, name) => find({ group: RBAC, plural: "roles" }, namespace, name),
    clusterRoleBindings: () => list(RBAC, "clusterrolebindings"),
    roleBindings: (namespace) => list(RBAC, "rolebindings", namespace),
  };
  const catalog = new Catalog();
  const webhooks = new Webhooks({
    mutating: () => list(WEBHOOKS, "mutatingwebhookconfigurations"),
    validating: () => list(WEBHOOKS, "validatingwebhookconfigurations"),
    namespace: (name) => find({ group: "", plural: "namespaces" }, undefined, name),
    service: (namespace, name) => find({ group: "", plural: "services" }, namespace, name),
    convert(resource, object, version) {
      const endpoint = catalog.stored(resource);
      return conversion.convert(endpoint, object, resource.group === "" ? version : `${resource.group}/${version}`);
    },
    newUid: randomUUID,
    roles,
  });
  const conversion = new Conversion(webhooks);
  const configurations = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"].map((plural) =>
    store.collection({ group: WEBHOOKS, plural }),
  );
  return {
    store,
    catalog,
    clock,
    services: new ServiceAllocations(),
    roles,
    webhooks,
    hasWebhooks: () => configurations.some(({ size }) => size > 0),
    conversion,
    tokens,
    newUid: randomUUID,
    report,
  };
}
