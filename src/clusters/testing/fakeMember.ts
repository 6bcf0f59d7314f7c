import { ApiError, type CallOptions, type ClusterConfig, kubeconfigFor, NAMESPACES } from "../../runtime/index.ts";
import { FakeClient, FakeCluster } from "../../runtime/testing/fakeClient.ts";

/** An unsigned JWT. Times in epoch milliseconds. */
export function fakeToken(subject: string, issuedAt: number, expiresAt: number): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return [part({ alg: "none" }), part({ sub: subject, iat: issuedAt / 1000, exp: expiresAt / 1000 }), "none"].join(".");
}

/** A member in memory that answers the requests of the pool. */
export class FakeMember {
  readonly cluster = new FakeCluster();
  readonly server: string;
  readonly clients: FakeMemberClient[] = [];
  /** Error of every call. */
  failure: Error | undefined;
  /** Other tokens are answered with 401. */
  token: string;
  version = "v1.35.4";
  apis = ["apps/v1", "batch/v1"];
  /** Answer to a TokenRequest; 403 when undefined. */
  issuesTokensFor: { subject: string; seconds: number; now: () => number } | undefined;

  constructor(name: string, uid: string, token = "good") {
    this.server = `https://${name}.test:6443`;
    this.token = token;
    this.become(uid);
  }

  /** Changes the UID of the cluster. */
  become(uid: string): void {
    const [before] = this.cluster.list(NAMESPACES);
    if (before !== undefined) this.cluster.delete(NAMESPACES, undefined, "kube-system");
    this.cluster.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system", uid } });
  }

  kubeconfig(token = this.token): string {
    return kubeconfigFor({ cluster: "member", server: this.server, token });
  }

  connect(config: ClusterConfig, cluster: string): FakeMemberClient {
    const client = new FakeMemberClient(this, config, cluster);
    this.clients.push(client);
    return client;
  }
}

export class FakeMemberClient extends FakeClient {
  readonly member: FakeMember;
  readonly config: ClusterConfig;
  disposed = false;

  constructor(member: FakeMember, config: ClusterConfig, cluster: string) {
    super(member.cluster, cluster);
    this.member = member;
    this.config = config;
    this.gate = async ({ phase }) => {
      if (phase === "before") await this.#admit();
    };
  }

  get probes(): number {
    return this.calls.filter((call) => call === "raw /readyz").length;
  }

  override async raw(method: "GET" | "POST" | "PUT", path: string, options: CallOptions = {}): Promise<unknown> {
    this.calls.push(`raw ${path}`);
    options.signal?.throwIfAborted();
    await this.#admit();
    const { member } = this;
    if (path === "/readyz") return "ok";
    if (path === "/version") return { gitVersion: member.version };
    if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
    if (path === "/apis")
      return { kind: "APIGroupList", groups: member.apis.map((groupVersion) => ({ versions: [{ groupVersion }] })) };
    if (method === "POST" && path.endsWith("/token")) return this.#issueToken();
    throw new ApiError(404, "NotFound", `the fake does not serve ${path}`);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
  }

  #issueToken(): unknown {
    const { member } = this;
    if (member.issuesTokensFor === undefined)
      throw new ApiError(403, "Forbidden", "may not create serviceaccounts/token");
    const { subject, seconds, now } = member.issuesTokensFor;
    const expiresAt = now() + seconds * 1000;
    member.token = fakeToken(subject, now(), expiresAt);
    return { status: { token: member.token, expirationTimestamp: new Date(Math.round(expiresAt)).toISOString() } };
  }

  async #admit(): Promise<void> {
    if (this.member.failure !== undefined) throw this.member.failure;
    const authorization = await this.config.credentials.authorization();
    if (authorization !== `Bearer ${this.member.token}`) throw new ApiError(401, "Unauthorized", "Unauthorized");
  }
}
