/** A client certificate and its key, both PEM. Compared by identity: a new object means new connections. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Credentials of a client. Called before every request, so an answer must usually be available at once. */
export interface Credentials {
  /** Value of the Authorization header. */
  authorization(): Promise<string | undefined>;
  /** Certificate for the TLS handshake. */
  clientCertificate?(): Promise<ClientCertificate | undefined>;
  /**
   * Called after the server answered 401 to this value. Drops the value if it is still cached. True if the next value
   * may differ, so that a retry is useful.
   */
  invalidate?(rejected: string | undefined): boolean;
}

/** Address and credentials of a cluster. Holds secrets: never log it. */
export interface ClusterConfig {
  /** `https://host:port`, maybe with a path prefix; no slash at the end. */
  server: string;
  /** PEM. Default: the certificate authorities of the system. */
  caData?: string;
  /** Do not verify the server's certificate. Set only if a person demands that explicitly. */
  insecure?: boolean;
  /** Expected name in the server's certificate, if different from the host. */
  tlsServerName?: string;
  /** Namespace of the context; `default` if the context has none. */
  currentNamespace: string;
  /** Name of the context, if the configuration comes from a kubeconfig. */
  context?: string;
  /** Source of the configuration, for a person, such as `kubeconfig /home/me/hub.yaml`. */
  origin?: string;
  credentials: Credentials;
}
