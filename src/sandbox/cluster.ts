import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { CertificateAuthority } from "../certificates/index.ts";
import { startAggregation } from "./authorization/index.ts";
import { type ControllerOptions, type Controllers, startControllers } from "./controllers/index.ts";
import { Faults, systemClock } from "./faults/index.ts";
import { kubeconfigOf, type KubeconfigOptions } from "./kubeconfig.ts";
import { kubernetesVersion } from "./kinds/index.ts";
import { readSecrets, type Secrets, writeSecrets } from "./secrets.ts";
import { ApiServer, type Incoming, type Outgoing, ServiceAccountTokens } from "./server/index.ts";
import { Store } from "./store/index.ts";
import type { LocalClient, SandboxClock } from "./types.ts";

export interface SandboxClusterOptions {
  /** Name of the cluster in the kubeconfig and in the certificate. */
  name: string;
  /** Signs the server's certificate. Clusters may share an authority; by default a cluster makes its own. */
  authority?: CertificateAuthority;
  /** Loopback port. Default: the previous port stored in `directory` if it is free, else any free port. */
  port?: number;
  /** Folder for objects, keys and the token, which a later start reads again. */
  directory?: string;
  clock?: SandboxClock;
  /** Random numbers in [0, 1) for faults with a probability. */
  random?: () => number;
  /** Version that the server reports, such as `v1.35.4`. */
  version?: string;
  /** False: an API server without controllers, as with etcd and kube-apiserver only. */
  controllers?: ControllerOptions | false;
  /** Takes errors of background work. Default: a warning of the process. */
  onError?: (error: unknown) => void;
}

/** A running cluster. */
export interface SandboxCluster extends AsyncDisposable {
  readonly name: string;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** The CA certificate for clients to trust, PEM. */
  readonly caPem: string;
  /** The administrator's bearer token. */
  readonly adminToken: string;
  readonly local: LocalClient;
  readonly faults: Faults;
  /**
   * Answers a request as over HTTP, faults included, but without a socket. Only waits on the cluster's clock take time.
   * The caller applies what a fault does to open connections.
   */
  answer(request: Incoming): Promise<Outgoing>;
  /** A kubeconfig, YAML; the administrator's by default. */
  kubeconfig(options?: KubeconfigOptions): string;
  /** The resourceVersion of the latest change. */
  resourceVersion(): string;
  /** Forgets the history: older resourceVersions are answered with 410. */
  compact(): void;
  /** Stops the server and the controllers. The stored files stay. */
  stop(): Promise<void>;
}

/** Starts a cluster and waits until it serves. Throws FolderInUse for the folder of a running cluster, or EADDRINUSE for a port in use. */
export async function startSandboxCluster(options: SandboxClusterOptions): Promise<SandboxCluster> {
  const { name, directory, clock = systemClock, random = Math.random, controllers = {} } = options;
  const report =
    options.onError ?? ((error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)));
  await using stack = new AsyncDisposableStack();
  const faults = new Faults({ clock, random });
  const store = stack.use(
    new Store({ clock: faults.clock, ...(directory === undefined ? {} : { directory: join(directory, "objects") }) }),
  );
  const known = directory === undefined ? undefined : await readSecrets(directory);
  const authority = options.authority ?? (await authorityOf(name, known, clock.now()));
  const tokens = new ServiceAccountTokens(known?.serviceAccountKeyPem);
  const adminToken = known?.adminToken ?? randomBytes(24).toString("hex");
  const certificate = await authority.issue({
    name,
    hosts: ["127.0.0.1", "::1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    now: clock.now(),
  });
  const version = options.version ?? kubernetesVersion;
  const server = stack.use(new ApiServer({ store, faults, tokens, adminToken, ...certificate, version, report }));
  await listen(server, options.port, known?.port);
  if (directory !== undefined) {
    const secrets: Secrets = { adminToken, serviceAccountKeyPem: tokens.keyPem, port: server.port };
    if (options.authority === undefined) secrets.authority = authority.toPem();
    await writeSecrets(directory, secrets);
  }
  stack.use(startAggregation(server.local, report));
  if (controllers !== false) {
    stack.use(
      followedControllers(faults, () =>
        startControllers({
          client: server.local,
          clock: faults.clock,
          caPem: authority.caPem,
          podDelay: (normalMs) => faults.podDelay(normalMs),
          onError: report,
          options: controllers,
        }),
      ),
    );
  }
  const running = stack.move();
  const url = `https://127.0.0.1:${server.port}`;
  return {
    name,
    url,
    caPem: authority.caPem,
    adminToken,
    local: server.local,
    faults,
    answer: (request) => server.answer(request),
    kubeconfig: (wanted = {}) => kubeconfigOf({ name, url, caPem: authority.caPem, token: adminToken, ...wanted }),
    resourceVersion: () => String(store.revision),
    compact: () => store.compact(),
    stop: () => running.disposeAsync(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Controllers that stop when the cluster crashes and start again when it recovers. When a fault ends they consider all
 * pods again.
 */
function followedControllers(faults: Faults, start: () => Controllers): AsyncDisposable {
  let running: Controllers | undefined = start();
  const subscription = faults.onEvent(({ kind }) => {
    switch (kind) {
      case "Crash":
        running?.[Symbol.dispose]();
        running = undefined;
        return;
      case "Recover":
        running ??= start();
        return;
      case "Changed":
        running?.recheckPods();
        return;
      case "CutWatches":
      case "Compact":
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      subscription[Symbol.dispose]();
      await running?.[Symbol.asyncDispose]();
    },
  };
}

function authorityOf(name: string, known: Secrets | undefined, now: number): Promise<CertificateAuthority> {
  if (known?.authority !== undefined) return CertificateAuthority.load(known.authority);
  return CertificateAuthority.create({ name: `${name}-sandbox`, now });
}

/** Listens on the wanted port, which must be free. The previous port is only preferred, to keep kubeconfigs valid. */
async function listen(server: ApiServer, wanted: number | undefined, before: number | undefined): Promise<void> {
  if (wanted !== undefined || before === undefined) return server.start(wanted ?? 0);
  try {
    await server.start(before);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    await server.start(0);
  }
}
