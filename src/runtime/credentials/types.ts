/** A client certificate and its key, both PEM. Compared by identity: a new one means new connections. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** What a client shows to a server. Asked before every request, so an answer must usually be at hand. */
export interface Credentials {
  /** Value of the Authorization header. */
  authorization(): Promise<string | undefined>;
  /** For the TLS handshake. */
  clientCertificate?(): Promise<ClientCertificate | undefined>;
  /**
   * The server answered 401 to this value: forget it, when it is still the cached one. True when the next answer may differ, so that
   * trying once more makes sense.
   */
  invalidate?(rejected: string | undefined): boolean;
}

/** Where a cluster is and how to be let in. Holds secrets: never log it. */
export interface ClusterConfig {
  /** `https://host:port`, maybe with a path prefix; no slash at the end. */
  server: string;
  /** PEM. Without it the certificate authorities of the system are trusted. */
  caData?: string;
  /** Do not verify the server's certificate. Only ever set on an explicit wish. */
  insecure?: boolean;
  /** Name to expect in the server's certificate, when it is not the host's. */
  tlsServerName?: string;
  /** Namespace of the context; `default` when it names none. */
  currentNamespace: string;
  /** Name of the context, when it comes from a kubeconfig. */
  context?: string;
  /** For a person: where it was found, such as `kubeconfig /home/me/hub.yaml`. */
  origin?: string;
  credentials: Credentials;
}
