import type { DemoApplication, ObjectMeta } from "../../src/apis/index.ts";
import { collectionPath, type Deployment, type Service } from "../e2e/objects.ts";
import type { Api, Fleet, FleetMember, Plane } from "../envtest/index.ts";
import { NAMESPACE } from "./workload.ts";

interface Named {
  metadata: ObjectMeta;
}

/** The bench's own sight of one collection: what is there, by name. */
class Observer<T extends Named> {
  readonly objects = new Map<string, T>();
  broken: unknown;

  constructor(api: Api, kind: string, namespace: string, signal: AbortSignal, changed: (name: string) => void) {
    void this.#follow(api, collectionPath(kind, namespace), signal, changed).catch((error: unknown) => {
      if (!signal.aborted) this.broken = error;
    });
  }

  /** A busy API server ends the watch of a reader that it takes for slow: then on from the last version that was seen. */
  async #follow(api: Api, path: string, signal: AbortSignal, changed: (name: string) => void): Promise<void> {
    let seen = "";
    while (!signal.aborted) {
      const from = seen === "" ? "" : `?resourceVersion=${seen}`;
      for await (const { type, object } of api.watch<T>(path + from, signal)) {
        if (type === "ERROR") throw new Error(`the watch of ${path} ended: ${JSON.stringify(object)}`);
        const { name, resourceVersion } = object.metadata;
        seen = resourceVersion ?? seen;
        if (type === "DELETED") this.objects.delete(name);
        else this.objects.set(name, object);
        changed(name);
      }
    }
  }
}

export interface MemberView {
  member: FleetMember<Plane>;
  deployments: ReadonlyMap<string, Deployment>;
  services: ReadonlyMap<string, Service>;
}

type Listener = (name: string) => void;

/** The bench's own watches of one namespace. What they see counts; nobody asks Meridian. */
export class Watches implements Disposable {
  readonly #all = new Set<Observer<Named>>();
  readonly #listeners = new Set<Listener>();
  readonly #stop = new AbortController();
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Everything of that kind there, by name; `signal` ends the watch earlier. */
  observe<T extends Named>(api: Api, kind: string, also?: Listener, signal?: AbortSignal): ReadonlyMap<string, T> {
    const until = signal === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, signal]);
    const observer = new Observer<T>(api, kind, this.#namespace, until, (name) => {
      for (const listener of this.#listeners) listener(name);
      also?.(name);
    });
    this.#all.add(observer);
    return observer.objects;
  }

  /**
   * Calls `check` whenever something changed, with its name, until it answers true. Throws after the time, in milliseconds, with what `missing`
   * says, and when a watch breaks.
   */
  async until(check: (name: string) => boolean, timeoutMs: number, missing: () => string): Promise<void> {
    const done = Promise.withResolvers<void>();
    const listener = (name: string) => {
      if (check(name)) done.resolve();
    };
    this.#listeners.add(listener);
    const timer = setTimeout(
      () => done.reject(new Error(`nothing after ${timeoutMs / 1000} s: ${missing()}`)),
      timeoutMs,
    );
    const health = setInterval(() => {
      const broken = [...this.#all].find((observer) => observer.broken !== undefined)?.broken;
      if (broken !== undefined) done.reject(new Error("a watch of the bench broke off", { cause: broken }));
    }, 500);
    try {
      await done.promise;
    } finally {
      clearTimeout(timer);
      clearInterval(health);
      this.#listeners.delete(listener);
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

/** The watches of applications and of what they become on the members. */
export class Observers extends Watches {
  readonly applications: ReadonlyMap<string, DemoApplication>;
  readonly members: readonly MemberView[];
  readonly #memberListeners = new Set<Listener>();
  readonly #stopMembers = new AbortController();

  constructor(fleet: Fleet<Plane>, namespace: string = NAMESPACE) {
    super(namespace);
    this.applications = this.observe<DemoApplication>(fleet.hub.api, "DemoApplication");
    const { signal } = this.#stopMembers;
    const changed: Listener = (name) => {
      for (const listener of this.#memberListeners) listener(name);
    };
    this.members = fleet.members.map((member) => ({
      member,
      deployments: this.observe<Deployment>(member.plane.api, "Deployment", changed, signal),
      services: this.observe<Service>(member.plane.api, "Service", changed, signal),
    }));
  }

  /** Called with the name of an application whenever one of its objects on a member changed. */
  onMemberChange(listener: Listener): Disposable {
    this.#memberListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#memberListeners.delete(listener) };
  }

  /** Ends the watches on the members, where from now on nothing is measured: they would cost the servers as much as Meridian's own. */
  leaveMembers(): void {
    this.#stopMembers.abort();
  }
}
