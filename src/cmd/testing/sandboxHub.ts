import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { Discovery, MEMBERCLUSTERS, requestToken, type ResourceType, systemClock } from "../../runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../sandbox/index.ts";
import { connectMember, type Connection } from "../shared/connection.ts";
import { type Ran, runMeridian } from "./commandLine.ts";

const MERGE = "application/merge-patch+json";

type ClusterOptions = Partial<Parameters<typeof startSandboxCluster>[0]>;

/** A hub of the sandbox without a manager. The kubeconfigs of its clusters are files. */
export class SandboxHub implements AsyncDisposable {
  readonly hub: SandboxCluster;
  /** As an administrator of the hub. */
  readonly admin: Connection;
  readonly members: SandboxCluster[] = [];
  readonly #folder: string;
  #files = 0;

  private constructor(hub: SandboxCluster, folder: string) {
    this.hub = hub;
    this.#folder = folder;
    this.admin = connectMember("hub", this.file("hub"), undefined);
  }

  /** `namespace`: the namespace of the kubeconfig's context. `install`: flags of `meridian install`. */
  static async start({ namespace = "default", install = "" } = {}): Promise<SandboxHub> {
    const folder = await mkdtemp(join(tmpdir(), "meridian-command-"));
    const hub = await startSandboxCluster({ name: "hub", controllers: false });
    await writeFile(join(folder, "hub"), hub.kubeconfig({ namespace }));
    const self = new SandboxHub(hub, folder);
    await self.ran(`install ${install}`.trim());
    return self;
  }

  file(name: string): string {
    return join(this.#folder, name);
  }

  /** Writes the objects into a new file. */
  async fileOf(...items: unknown[]): Promise<string> {
    const path = this.file(`file-${this.#files++}.json`);
    await writeFile(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    return path;
  }

  /** Runs a command line on the hub. */
  run(line: string, kubeconfig = this.file("hub")): Promise<Ran> {
    return runMeridian([...line.split(" ").filter(Boolean), "--kubeconfig", kubeconfig]);
  }

  async ran(line: string): Promise<void> {
    const { code, err } = await this.run(line);
    if (code !== 0) throw new Error(`${line}: ${err}`);
  }

  /** Joins a new cluster, which then counts as ready. */
  async join(name: string, options: ClusterOptions = {}): Promise<SandboxCluster> {
    const member = await startSandboxCluster({ controllers: false, ...options, name });
    this.members.push(member);
    await writeFile(this.file(name), member.kubeconfig());
    await this.ran(`join ${name} --region eu --member-kubeconfig ${this.file(name)}`);
    await this.report(MEMBERCLUSTERS, undefined, name, { conditions: [condition("Ready", "True", "Connected")] });
    return member;
  }

  async make(object: KubeObject, to = this.admin): Promise<void> {
    const { group } = parseApiVersion(object.apiVersion);
    const type = await new Discovery(to.client, systemClock).resolve({ group, kind: object.kind });
    await to.client.create(type, object);
  }

  async makeNamespaces(...names: string[]): Promise<void> {
    for (const name of names) await this.make({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  async patch(type: ResourceType, namespace: string | undefined, name: string, body: object): Promise<void> {
    await this.admin.client.patch(type, namespace, name, MERGE, body);
  }

  /** Writes a status, as a manager would. */
  async report(type: ResourceType, namespace: string | undefined, name: string, status: object): Promise<void> {
    await this.admin.client.patch(type, namespace, name, MERGE, { status }, { subresource: "status" });
  }

  /** Makes an account with these rights in a namespace, and returns the file of its kubeconfig. */
  async account(name: string, namespace: string, rules: object[]): Promise<string> {
    const metadata = { name, namespace };
    const [group, apiVersion] = ["rbac.authorization.k8s.io", "rbac.authorization.k8s.io/v1"];
    await this.make({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    await this.make({ apiVersion, kind: "Role", metadata, rules });
    const subjects = [{ kind: "ServiceAccount", ...metadata }];
    await this.make({
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "Role", name },
      subjects,
    });
    const request = { namespace, serviceAccount: name, expirationSeconds: 3_600 };
    const { token } = await requestToken(this.admin.client, request);
    await writeFile(this.file(name), this.hub.kubeconfig({ token, namespace }));
    return this.file(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.admin[Symbol.asyncDispose]();
    await Promise.all([this.hub, ...this.members].map((cluster) => cluster.stop()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export function condition(type: string, status: string, reason = `${type}Fine`, message = "") {
  return { type, status, reason, message, lastTransitionTime: "2026-11-21T08:25:00Z" };
}
