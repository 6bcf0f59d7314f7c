/** PEM. Compared by identity: a new object means new connections. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Called before every request, so an answer must usually be available at once. */
export interface Credentials {
  /** Value of the Authorization header. */
  authorization(): Promise<string | undefined>;
  clientCertificate?(): Promise<ClientCertificate | undefined>;
  /** Called after a 401 to this value. True if the next value may differ, so that a retry is useful. */
  invalidate?(rejected: string | undefined): boolean;
}

/** Holds secrets: never log it. */
export interface ClusterConfig {
  /** No slash at the end. */
  server: string;
  /** PEM. Default: the authorities of the system. */
  caData?: string;
  /** Does not verify the server's certificate; only if a person demands that. */
  insecure?: boolean;
  /** In the server's certificate, if not the host. */
  tlsServerName?: string;
  /** Namespace of the context, or `default`. */
  currentNamespace: string;
  context?: string;
  /** For a person, such as `kubeconfig /home/me/hub.yaml`. */
  origin?: string;
  credentials: Credentials;
}
