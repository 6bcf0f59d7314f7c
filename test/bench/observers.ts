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

/** The bench's own watches of applications and of what they become on the members. What they see counts; nobody asks Meridian. */
export class Observers implements Disposable {
  readonly applications: ReadonlyMap<string, DemoApplication>;
  readonly members: readonly MemberView[];
  readonly #all = new Set<Observer<Named>>();
  readonly #listeners = new Set<Listener>();
  readonly #memberListeners = new Set<Listener>();
  readonly #stop = new AbortController();
  readonly #stopMembers = new AbortController();

  constructor(fleet: Fleet<Plane>, namespace: string = NAMESPACE) {
    const observe = <T extends Named>(api: Api, kind: string, signal: AbortSignal, also?: Listener) => {
      const observer = new Observer<T>(api, kind, namespace, signal, (name) => {
        for (const listener of this.#listeners) listener(name);
        also?.(name);
      });
      this.#all.add(observer);
      return observer.objects;
    };
    this.applications = observe<DemoApplication>(fleet.hub.api, "DemoApplication", this.#stop.signal);
    const signal = AbortSignal.any([this.#stop.signal, this.#stopMembers.signal]);
    const changed: Listener = (name) => {
      for (const listener of this.#memberListeners) listener(name);
    };
    this.members = fleet.members.map((member) => ({
      member,
      deployments: observe<Deployment>(member.plane.api, "Deployment", signal, changed),
      services: observe<Service>(member.plane.api, "Service", signal, changed),
    }));
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

  /** Called with the name of an application whenever one of its objects on a member changed. */
  onMemberChange(listener: Listener): Disposable {
    this.#memberListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#memberListeners.delete(listener) };
  }

  /** Ends the watches on the members, where from now on nothing is measured: they would cost the servers as much as Meridian's own. */
  leaveMembers(): void {
    this.#stopMembers.abort();
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
