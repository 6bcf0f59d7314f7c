import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  MEMBER_CONTROLLERS,
  FakeKubelet,
  type Person,
  startEtcd,
  temporaryFolder,
} from "../../src/cmd/realClusters/index.ts";
import { defined } from "../../src/apis/index.ts";
import { allOf } from "../../src/cmd/shared/index.ts";
import { controlPlaneAssets } from "./assets.ts";
import { type ControlPlane, startControlPlane } from "./controlPlane.ts";
import { auditArguments } from "./managerRights.ts";
import type { Kubelet, Plane } from "./plane.ts";
import { SandboxPlane } from "./sandboxPlane.ts";

export interface MemberOptions {
  name: string;
  region: string;
  zone?: string;
  provider?: string;
  /** Runs kube-controller-manager, so that Deployments get pods; true unless told. */
  controllerManager?: boolean;
  /** What else kube-controller-manager of a real control plane runs; the sandbox has no other controllers. */
  moreControllers?: readonly string[];
  /** Makes pods become ready; as `controllerManager` unless told. */
  kubelet?: boolean;
  /** More flags of a real API server. */
  apiserverArgs?: readonly string[];
  /** Whom a real API server knows beside the administrator. */
  people?: readonly Person[];
  /** A real control plane with an etcd of its own, so that its data can be restored without those of the others. */
  ownEtcd?: boolean;
}

export interface FleetOptions {
  members: MemberOptions[];
  /** As for a member. */
  hub?: Wanted;
}

export interface FleetMember<P extends Plane = ControlPlane> {
  name: string;
  region: string;
  zone?: string;
  provider?: string;
  plane: P;
  /** Absent when the fleet was asked for none. */
  kubelet?: Kubelet;
}

/** A hub and members that know nothing of each other yet. */
export interface Fleet<P extends Plane = ControlPlane> extends AsyncDisposable {
  hub: P;
  hubKubelet?: Kubelet;
  members: FleetMember<P>[];
  /** Throws for a name that the fleet does not have. */
  member(name: string): FleetMember<P>;
  /** For files of the test; removed with the fleet. */
  dir: string;
}

type Wanted = Pick<
  MemberOptions,
  "controllerManager" | "moreControllers" | "kubelet" | "apiserverArgs" | "people" | "ownEtcd"
>;
type Started<P> = { plane: P; kubelet?: Kubelet };

/** Starts all of them at once on one etcd. They end with the disposal of the fleet, or with this process. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  return assemble(options, async (dir, stack) => {
    const etcd = stack.use(await startEtcd(await controlPlaneAssets(), dir));
    return async (name, folder, { controllerManager = true, kubelet = controllerManager, ...wanted }) => {
      const { apiserverArgs = [], ownEtcd = false, moreControllers = [], people = [] } = wanted;
      const controllers = [...MEMBER_CONTROLLERS, ...moreControllers];
      const more = [...apiserverArgs, ...(name === "hub" ? await auditArguments(folder) : [])];
      const shared = ownEtcd ? {} : { etcd };
      const parts = { controllerManager, controllers, apiserverArgs: more, people, ...shared };
      const plane = stack.use(await startControlPlane({ name, folder, ...parts }));
      return { plane, ...(kubelet ? { kubelet: stack.use(new FakeKubelet(plane)) } : {}) };
    };
  });
}

/** The same of clusters of the sandbox, in this process. */
export async function startSandboxFleet(options: FleetOptions): Promise<Fleet<Plane>> {
  return assemble<Plane>(options, (_dir, stack) => {
    return Promise.resolve(async (name, folder, { controllerManager = true, kubelet = controllerManager }) => {
      const plane = stack.use(await SandboxPlane.launch({ name, folder, controllers: controllerManager }));
      if (!kubelet) plane.behave({ fate: () => "hang" });
      return { plane, ...(kubelet ? { kubelet: plane } : {}) };
    });
  });
}

async function assemble<P extends Plane>(
  options: FleetOptions,
  prepare: (
    dir: string,
    stack: AsyncDisposableStack,
  ) => Promise<(name: string, folder: string, wanted: Wanted) => Promise<Started<P>>>,
): Promise<Fleet<P>> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await temporaryFolder("meridian-fleet-")).path;
  const launch = await prepare(dir, stack);
  const start = async (name: string, wanted: Wanted): Promise<Started<P>> => {
    const folder = join(dir, "clusters", name);
    await mkdir(folder, { recursive: true });
    return launch(name, folder, wanted);
  };

  const [hub, ...planes] = await allOf([
    start("hub", options.hub ?? {}),
    ...options.members.map((member) => start(member.name, member)),
  ]);
  const members = options.members.map((member, index): FleetMember<P> => {
    const { name, region, zone, provider } = member;
    const plane = planes[index];
    if (plane === undefined) throw new Error(`${name} did not start`);
    return { name, region, ...defined({ zone, provider }), ...plane };
  });
  const owned = stack.move();
  return {
    hub: hub.plane,
    ...defined({ hubKubelet: hub.kubelet }),
    members,
    member(name) {
      const member = members.find((candidate) => candidate.name === name);
      if (member === undefined) throw new Error(`the fleet has no member ${name}`);
      return member;
    },
    dir,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
