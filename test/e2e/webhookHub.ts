import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { freePort } from "../../src/cmd/realClusters/index.ts";
import {
  CommandFailure,
  eventually,
  type Fleet,
  kubectl,
  type Manager,
  meridianOk,
  type Plane,
  startFleet,
  startManager,
} from "../envtest/index.ts";
import { collectionPath } from "./objects.ts";
import { CRD } from "./webhookCertificates.ts";
import { applicationOf, foreignPlacement } from "./webhookRefusals.ts";

/** An application with fields that v1beta1 lacks. */
export const FULL_SPEC = {
  image: "nginx:1.27",
  replica: 3,
  ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }],
  env: [
    { name: "MODE", value: "live" },
    { name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "k" } } },
  ],
  resources: { requests: { cpu: "100m" } },
  readinessProbe: { httpGet: { path: "/", port: 8080 } },
  serviceType: "ClusterIP",
};

/** The API server begins no trace by itself, and goes on with those of its administrators. Nobody takes its own spans. */
const TRACING = `
apiVersion: apiserver.config.k8s.io/v1beta1
kind: TracingConfiguration
endpoint: 127.0.0.1:1
samplingRatePerMillion: 0
`;

/** A hub without members, and a manager whose webhooks it calls. */
export class WebhookHub implements AsyncDisposable {
  /** Where the manager answers. */
  port = 0;
  #tracingFolder: string | undefined;
  #fleet: Fleet | undefined;
  #manager: Manager | undefined;
  #namespaces = 0;

  async start(): Promise<void> {
    this.#tracingFolder = await mkdtemp(join(tmpdir(), "meridian-tracing-"));
    const tracing = join(this.#tracingFolder, "tracing.yaml");
    await writeFile(tracing, TRACING);
    const apiserverArgs = [`--tracing-config-file=${tracing}`];
    this.#fleet = await startFleet({ hub: { controllerManager: false, apiserverArgs }, members: [] });
    this.port = await freePort();
    await meridianOk(this.hub, ["install"]);
    await this.startManager();
  }

  get hub(): Plane {
    return this.fleet.hub;
  }

  get fleet(): Fleet {
    if (this.#fleet === undefined) throw new Error("the hub has not been started");
    return this.#fleet;
  }

  get manager(): Manager {
    if (this.#manager === undefined) throw new Error("no manager has been started");
    return this.#manager;
  }

  /** Starts the manager and waits until the hub calls its webhooks. */
  async startManager(...args: string[]): Promise<void> {
    const url = `https://127.0.0.1:${this.port}`;
    const own = ["--webhooks", "--webhook-port", `${this.port}`, "--webhook-url", url, "--webhook-ca-overlap", "2s"];
    this.#manager = await startManager({ hub: this.hub, folder: this.fleet.dir, args: [...own, ...args] });
    await this.untilCalled();
  }

  /** Until the server takes an object in v1beta1, and asks about policies. */
  async untilCalled(): Promise<void> {
    await eventually(async () => {
      const probe = applicationOf("probe", { image: "nginx" }, "default", "v1beta1");
      const path = "/apis/paas.cmft.com/v1beta1/namespaces/default/demoapplications?dryRun=All";
      const { status, body } = await this.hub.api.request("POST", path, probe);
      expect(status, JSON.stringify(body)).toBe(201);
      expect(finalizersOf(body as KubeObject)).toHaveLength(1);
    });
    await eventually(async () =>
      expect(await this.refusal(foreignPlacement("default"), "--dry-run=server")).toMatch(/selects nothing/),
    );
  }

  /** The name of a namespace that no other test uses. */
  async newNamespace(annotations: Record<string, string> = {}): Promise<string> {
    const name = `hooks-${++this.#namespaces}`;
    await this.hub.api.create(collectionPath("Namespace"), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, annotations },
    });
    return name;
  }

  /** One name more for what is in no namespace. */
  newName(prefix: string): string {
    return `${prefix}-${++this.#namespaces}`;
  }

  kubectl(args: string[], options: { stdin?: string } = {}): Promise<string> {
    return kubectl(this.hub, args, options);
  }

  apply(object: KubeObject, ...args: string[]): Promise<string> {
    return this.kubectl(["apply", "-f", "-", ...args], { stdin: JSON.stringify(object) });
  }

  /** What kubectl prints when the hub refuses; empty when it does not. */
  async refusal(object: KubeObject, ...args: string[]): Promise<string> {
    try {
      await this.kubectl(["create", "-f", "-", ...args], { stdin: JSON.stringify(object) });
      return "";
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      return error.result.stderr;
    }
  }

  async read(name: string, namespace: string, version = "v1"): Promise<KubeObject> {
    const text = await this.kubectl([
      "get",
      `demoapplication.${version}.paas.cmft.com/${name}`,
      "-n",
      namespace,
      "-o",
      "json",
    ]);
    return JSON.parse(text) as KubeObject;
  }

  async storedVersions(): Promise<string[]> {
    const { status } = (await this.hub.api.get(CRD)) as unknown as { status: { storedVersions: string[] } };
    return status.storedVersions;
  }

  /** Makes this the version in which objects are stored from now on. */
  async store(version: string): Promise<void> {
    const { spec } = (await this.hub.api.get(CRD)) as unknown as { spec: { versions: { name: string }[] } };
    const patch = spec.versions.map(({ name }, index) => ({
      op: "replace",
      path: `/spec/versions/${index}/storage`,
      value: name === version,
    }));
    await this.hub.api.patch(CRD, "json", patch);
    await eventually(async () => expect(await this.storedVersions()).toContain(version));
    // The version is taken up a moment after the CRD says so; that it was shows in the first object.
    await this.untilCalled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager?.[Symbol.asyncDispose]();
    await this.#fleet?.[Symbol.asyncDispose]();
    if (this.#tracingFolder !== undefined) await rm(this.#tracingFolder, { recursive: true });
  }
}

export function finalizersOf(object: KubeObject): string[] {
  return object.metadata.finalizers ?? [];
}
