import { afterAll, afterEach, beforeAll, chai, expect, inject } from "vitest";
import {
  type ClusterStatusEntry,
  type Condition,
  DEFAULT_SYSTEM_NAMESPACE,
  type DemoApplication,
  type KubeObject,
  type MemberCluster,
  type ObjectMeta,
} from "../../src/apis/index.ts";
import { allOf } from "../../src/cmd/shared/index.ts";
import {
  type Api,
  eventually,
  FaultProxy,
  type Fleet,
  type FleetMember,
  type FleetOptions,
  kubectl,
  type Manager,
  meridianOk,
  type Plane,
  startFleet,
  startSandboxFleet,
  startManager,
} from "../envtest/index.ts";
import { memberCluster } from "../builders/index.ts";
import { collectionPath, type Deployment, type Event, objectPath, pathOf, secret, type Service } from "./objects.ts";

// What an expectation found is what explains its failure; by default it is cut to a line.
chai.config.truncateThreshold = 2000;

export interface FederationOptions extends FleetOptions {
  /** Members that stay unknown to the hub; a test joins them itself. */
  unjoined?: string[];
  /** More options of every manager. */
  managerArgs?: string[];
  /** More options of `meridian join`. */
  joinArgs?: string[];
}

type Applied = { kind: string; metadata: Pick<ObjectMeta, "name" | "namespace" | "annotations"> };

declare module "vitest" {
  interface ProvidedContext {
    /** What the clusters of the tests are: real control planes or those of the sandbox. */
    clusters: "real" | "sandbox";
  }
}

/** Where there are real control planes there is a kubectl; tests on the sandbox need no program but Node. */
export function hasKubectl(): boolean {
  return inject("clusters") === "real";
}

/** A fleet of the kind that the present project of vitest is about. */
export function startFleetHere(options: FleetOptions): Promise<Fleet<Plane>> {
  return inject("clusters") === "sandbox" ? startSandboxFleet(options) : startFleet(options);
}

/** A fleet with Meridian on it: CRDs installed, a manager running, members joined. What an e2e test works with. */
export class Federation implements AsyncDisposable {
  readonly #options: FederationOptions;
  #fleet: Fleet<Plane> | undefined;
  #manager: Manager | undefined;
  #namespaces = 0;

  constructor(options: FederationOptions) {
    this.#options = options;
  }

  static async start(options: FederationOptions): Promise<Federation> {
    const federation = new Federation(options);
    await federation.begin();
    return federation;
  }

  async begin(): Promise<void> {
    const { unjoined = [] } = this.#options;
    this.#fleet = await startFleetHere(this.#options);
    try {
      await meridianOk(this.hub, ["install"]);
      await this.startManager();
      const joining = this.fleet.members.filter(({ name }) => !unjoined.includes(name));
      await allOf(joining.map((member) => this.join(member)));
    } catch (error) {
      if (error instanceof Error && this.#manager !== undefined) {
        error.message += `\n--- manager\n${await this.#manager.logTail()}`;
      }
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Prints the end of the manager's log, which is what explains why a test failed. */
  async explain(): Promise<void> {
    if (this.#manager !== undefined) process.stderr.write(`--- manager\n${await this.#manager.logTail(80)}\n`);
  }

  get fleet(): Fleet<Plane> {
    if (this.#fleet === undefined) throw new Error("the federation has not been started");
    return this.#fleet;
  }

  get hub(): Plane {
    return this.fleet.hub;
  }

  get api(): Api {
    return this.fleet.hub.api;
  }

  get manager(): Manager {
    if (this.#manager === undefined) throw new Error("no manager has been started");
    return this.#manager;
  }

  member(name: string): FleetMember<Plane> {
    return this.fleet.member(name);
  }

  memberApi(name: string): Api {
    return this.fleet.member(name).plane.api;
  }

  /** Another process of the manager, which from now on is `manager`. */
  async startManager(
    options: { args?: string[]; waitUntilReady?: boolean; hub?: Plane; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Manager> {
    const { args = [], hub = this.hub, ...rest } = options;
    const folder = this.fleet.dir;
    this.#manager = await startManager({ hub, folder, args: [...(this.#options.managerArgs ?? []), ...args], ...rest });
    return this.#manager;
  }

  /** Through the command line, as a person does it. Returns once the manager reports the member ready. */
  async join(member: FleetMember<Plane>): Promise<void> {
    const { name, region, zone, provider, plane } = member;
    await meridianOk(this.hub, [
      "join",
      name,
      "--member-kubeconfig",
      plane.kubeconfigFile,
      "--region",
      region,
      ...(zone === undefined ? [] : ["--zone", zone]),
      ...(provider === undefined ? [] : ["--provider", provider]),
      ...(this.#options.joinArgs ?? []),
    ]);
    await this.untilMemberIs(name, "True");
  }

  /** By hand: a Secret with this kubeconfig and a MemberCluster that names it. Does not wait. */
  async joinByHand(name: string, kubeconfig: string | undefined, region = this.member(name).region): Promise<void> {
    if (kubeconfig !== undefined) await this.setKubeconfig(name, kubeconfig);
    await this.apply(memberCluster(name).region(region));
  }

  /** By hand, through a proxy that the test can tell what to break, with the rights of the member's administrator. */
  async joinThroughProxy(name: string): Promise<FaultProxy> {
    const { plane } = this.member(name);
    const proxy = await FaultProxy.start(plane);
    await this.joinByHand(name, proxy.kubeconfigFor(plane.adminToken));
    await this.untilMemberIs(name, "True");
    return proxy;
  }

  async setKubeconfig(name: string, kubeconfig: string): Promise<void> {
    await this.apply(secret(DEFAULT_SYSTEM_NAMESPACE, name, { kubeconfig }));
  }

  /** Deletes the MemberCluster, of which all keeps running, and waits until it is gone. */
  async removeMember(name: string): Promise<void> {
    const path = objectPath("MemberCluster", undefined, name);
    await this.api.patch(path, "merge", { spec: { deletionPolicy: "Orphan" } });
    await this.remove({ kind: "MemberCluster", metadata: { name } });
    await this.api.delete(objectPath("Secret", DEFAULT_SYSTEM_NAMESPACE, name));
  }

  async memberCondition(name: string, type = "Ready"): Promise<Condition | undefined> {
    const cluster = await this.api.get<MemberCluster>(objectPath("MemberCluster", undefined, name));
    return cluster.status?.conditions?.find((condition) => condition.type === type);
  }

  async untilMemberIs(
    name: string,
    status: Condition["status"],
    reason?: string | RegExp,
    timeout = 60_000,
  ): Promise<Condition> {
    return eventually(
      async () => {
        const condition = await this.memberCondition(name);
        expect(condition).toMatchObject({ status, ...(typeof reason === "string" ? { reason } : {}) });
        if (reason instanceof RegExp) expect(condition?.reason).toMatch(reason);
        return condition as Condition;
      },
      { timeout, message: `Ready of ${name}` },
    );
  }

  /** A namespace on the hub that no other test uses. Members do not have it. */
  async namespace(): Promise<string> {
    const name = `team-${++this.#namespaces}`;
    await this.api.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    return name;
  }

  /** Server-side apply on the hub, so that what is left out vanishes. Takes builders too. */
  async apply<T = KubeObject>(object: Applied | { object(): KubeObject }): Promise<T> {
    const plain = "object" in object ? object.object() : object;
    return this.api.apply<T>(pathOf(plain), plain);
  }

  /** Deletes an object of the hub and waits until it is gone. */
  async remove(object: Applied | { object(): KubeObject }, timeout = 60_000): Promise<void> {
    const plain = "object" in object ? object.object() : object;
    const path = pathOf(plain);
    await this.api.delete(path);
    await eventually(async () => expect(await this.api.find(path)).toBeUndefined(), {
      timeout,
      message: `deletion of ${path}`,
    });
  }

  application(namespace: string, name: string): Promise<DemoApplication> {
    return this.api.get<DemoApplication>(objectPath("DemoApplication", namespace, name));
  }

  async entry(namespace: string, name: string, cluster: string): Promise<ClusterStatusEntry | undefined> {
    return (await this.application(namespace, name)).status?.clusters?.find((entry) => entry.name === cluster);
  }

  /** Waits until the entry of one cluster looks like this. */
  untilEntry(
    namespace: string,
    name: string,
    cluster: string,
    want: { [Field in keyof ClusterStatusEntry]?: unknown },
    timeout = 60_000,
  ): Promise<ClusterStatusEntry> {
    return eventually(
      async () => {
        const entry = await this.entry(namespace, name, cluster);
        expect(entry).toMatchObject(want);
        return entry as ClusterStatusEntry;
      },
      { timeout, message: `entry of ${cluster} in ${namespace}/${name}` },
    );
  }

  /** Waits until the object runs on exactly these clusters with these replicas, all of them available and reported. */
  untilAvailable(
    namespace: string,
    name: string,
    replicas: Record<string, number>,
    timeout = 60_000,
  ): Promise<DemoApplication> {
    return eventually(
      async () => {
        const application = await this.application(namespace, name);
        const { status, metadata } = application;
        const entries = (status?.clusters ?? []).map((entry) => [
          entry.name,
          { state: entry.state, desired: entry.replicas.desired, available: entry.replicas.available },
        ]);
        expect(Object.fromEntries(entries)).toEqual(
          Object.fromEntries(
            Object.entries(replicas).map(([cluster, count]) => [
              cluster,
              { state: "Available", desired: count, available: count },
            ]),
          ),
        );
        const total = Object.values(replicas).reduce((sum, count) => sum + count, 0);
        expect(status?.replicas).toEqual({ desired: total, updated: total, ready: total, available: total });
        expect(status?.observedGeneration).toBe(metadata.generation);
        expect(conditionsOf(application)).toMatchObject({
          Scheduled: "True",
          Applied: "True",
          Available: "True",
          Progressing: "False",
          Fresh: "True",
        });
        return application;
      },
      { timeout, message: `availability of ${namespace}/${name}` },
    );
  }

  deployment(cluster: string, namespace: string, name: string): Promise<Deployment> {
    return this.memberApi(cluster).get<Deployment>(objectPath("Deployment", namespace, name));
  }

  service(cluster: string, namespace: string, name: string): Promise<Service> {
    return this.memberApi(cluster).get<Service>(objectPath("Service", namespace, name));
  }

  image(cluster: string, namespace: string, name: string): Promise<string> {
    return this.deployment(cluster, namespace, name).then(
      (deployment) => deployment.spec.template.spec.containers[0].image,
    );
  }

  /** Events on the hub about one object. */
  async events(namespace: string, name: string): Promise<Event[]> {
    const events = await this.api.list<Event>(collectionPath("Event", namespace));
    return events.filter((event) => event.regarding.name === name);
  }

  kubectl(args: string[], stdin?: string): Promise<string> {
    return kubectl(this.hub, args, stdin === undefined ? {} : { stdin });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager?.[Symbol.asyncDispose]();
    await this.#fleet?.[Symbol.asyncDispose]();
  }
}

/** Status of each condition by type. */
export function conditionsOf(object: { status?: { conditions?: Condition[] } }): Record<string, Condition["status"]> {
  return Object.fromEntries((object.status?.conditions ?? []).map(({ type, status }) => [type, status]));
}

export function conditionOf(object: { status?: { conditions?: Condition[] } }, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** A federation for all tests of a file. After a test that fails it prints the end of the manager's log. */
export function useFederation(options: FederationOptions): Federation {
  const federation = new Federation(options);
  beforeAll(() => federation.begin());
  afterAll(() => federation[Symbol.asyncDispose]());
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await federation.explain();
  });
  return federation;
}
