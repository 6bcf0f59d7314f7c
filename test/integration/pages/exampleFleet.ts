import { expect } from "vitest";
import type { Condition, DemoApplication, KubeObject } from "../../../src/apis/index.ts";
import { CONDITIONS } from "../../../src/apis/reference/statusWords.ts";
import { runCommandLine } from "../../../src/cmd/index.ts";
import { freePort } from "../../../src/cmd/realClusters/index.ts";
import { collectionPath, objectPath, pathOf } from "../../e2e/objects.ts";
import {
  type Api,
  eventually,
  type Fleet,
  type MemberOptions,
  type Plane,
  startSandboxFleet,
} from "../../envtest/index.ts";

export interface ExampleMember extends MemberOptions {
  taint?: string;
}

/** A hub and members of the sandbox with Meridian on them, webhooks and all, in this process: where the examples of a page are applied. */
export class ExampleFleet implements AsyncDisposable {
  readonly #fleet: Fleet<Plane>;
  readonly #stop = new AbortController();
  #manager: Promise<number> | undefined;
  #said = "";

  private constructor(fleet: Fleet<Plane>) {
    this.#fleet = fleet;
  }

  static async start(members: readonly ExampleMember[]): Promise<ExampleFleet> {
    const self = new ExampleFleet(await startSandboxFleet({ members: [...members] }));
    try {
      await self.#run("install");
      const port = await freePort();
      const webhooks = ["--webhooks", "--webhook-port", `${port}`, "--webhook-url", `https://127.0.0.1:${port}`];
      // An example names a query. Nobody asks it here: nothing listens on that port.
      const prometheus = ["--prometheus-url", "http://127.0.0.1:1"];
      const quiet = ["--log-level", "error", "--metrics-bind-address", "127.0.0.1:0"];
      const manager = ["manager", ...quiet, ...prometheus, ...webhooks];
      self.#manager = self.#run(...manager);
      // Its failure shows where something is waited for.
      self.#manager.catch(() => undefined);
      await self.#untilAdmission();
      await Promise.all(members.map((member) => self.#join(member)));
      return self;
    } catch (error) {
      await self[Symbol.asyncDispose]();
      throw error;
    }
  }

  get hub(): Api {
    return this.#fleet.hub.api;
  }

  member(name: string): Api {
    return this.#fleet.member(name).plane.api;
  }

  async namespace(name: string): Promise<void> {
    const metadata = { name };
    await this.hub.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata });
  }

  apply(object: KubeObject): Promise<KubeObject> {
    return this.hub.apply(pathOf(object), object, "kubectl");
  }

  async remove(object: KubeObject): Promise<void> {
    const path = pathOf(object);
    await this.hub.delete(path);
    await eventually(async () => expect(await this.hub.find(path)).toBeUndefined(), { message: `deletion of ${path}` });
  }

  application(namespace: string, name: string): Promise<DemoApplication> {
    return this.hub.get<DemoApplication>(objectPath("DemoApplication", namespace, name));
  }

  /** Until the application runs on these clusters and on no others, with so many replicas each. */
  async untilRuns(namespace: string, name: string, replicas: Readonly<Record<string, number>>): Promise<void> {
    const seen = await eventually(
      async () => {
        const application = await this.application(namespace, name);
        const { status, metadata } = application;
        const available = (status?.clusters ?? []).map((entry) => [
          entry.name,
          entry.state === "Available" ? entry.replicas.available : entry.state,
        ]);
        expect(Object.fromEntries(available)).toEqual(replicas);
        expect(status?.observedGeneration).toBe(metadata.generation);
        return application;
      },
      { message: `${namespace}/${name}` },
    );
    expectListed("DemoApplication", seen.status?.conditions);
  }

  /** Until the policy says of itself that it is in force, or why it is not meant to be. */
  async untilReady(policy: KubeObject, reason: "Applied" | "PartlyEnforced" | "Suspended"): Promise<void> {
    const conditions = await eventually(
      async () => {
        const { status } = await this.hub.get<KubeObject & { status?: { conditions?: Condition[] } }>(pathOf(policy));
        expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
          status: reason === "Suspended" ? "False" : "True",
          reason,
        });
        return status?.conditions;
      },
      { message: `${policy.kind} ${policy.metadata.name}` },
    );
    expectListed("policies", conditions);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#manager?.catch(() => undefined);
    await this.#fleet[Symbol.asyncDispose]();
  }

  async #join({ name, region, provider, taint }: ExampleMember): Promise<void> {
    const { kubeconfigFile } = this.#fleet.member(name).plane;
    await this.#run(
      ...["join", name, "--member-kubeconfig", kubeconfigFile, "--region", region],
      ...["--kinds", "mysqlclusters.mysql.presslabs.org,resourcequotas"],
      ...(provider === undefined ? [] : ["--provider", provider]),
      ...(taint === undefined ? [] : ["--taint", taint]),
    );
  }

  /** The command line, as a person uses it. */
  async #run(...args: string[]): Promise<number> {
    const hear = (text: string): void => void (this.#said += text);
    const code = await runCommandLine(["--kubeconfig", this.#fleet.hub.kubeconfigFile, ...args], {
      terminal: { out: hear, err: hear, color: false, interactive: false },
      signal: this.#stop.signal,
      env: {},
    });
    if (code !== 0 && !this.#stop.signal.aborted) throw new Error(`meridian ${args.join(" ")}: ${code}\n${this.#said}`);
    return code;
  }

  /** Until the hub asks about policies: then what is refused stays out. */
  async #untilAdmission(): Promise<void> {
    const selector = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "elsewhere" };
    const probe = {
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "Placement",
      metadata: { name: "probe", namespace: "default" },
      spec: { resourceSelectors: [selector] },
    };
    const path = `${collectionPath("Placement", "default")}?dryRun=All`;
    await eventually(async () => {
      const { body } = await this.hub.request<{ message?: string }>("POST", path, probe);
      expect(body.message).toMatch(/selects nothing in elsewhere/);
    });
  }
}

/** Every condition that is seen has its words in the reference. */
function expectListed(on: string, conditions: readonly Condition[] | undefined): void {
  const listed = CONDITIONS.filter((words) => words.on === on).map(({ type }) => type);
  expect(listed).toEqual(expect.arrayContaining((conditions ?? []).map(({ type }) => type)));
}
