import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { controlPlaneAssets } from "./assets.ts";
import { type ControlPlane, startControlPlane } from "./controlPlane.ts";
import { startEtcd } from "./etcd.ts";
import { FakeKubelet } from "./kubelet.ts";
import { temporaryFolder } from "./processes.ts";

export interface MemberOptions {
  name: string;
  region: string;
  zone?: string;
  provider?: string;
  /** Runs kube-controller-manager, so that Deployments get pods; true unless told. */
  controllerManager?: boolean;
  /** Makes pods become ready; as `controllerManager` unless told. */
  kubelet?: boolean;
}

export interface FleetOptions {
  members: MemberOptions[];
  /** `controllerManager` and `kubelet` as for a member. */
  hub?: Pick<MemberOptions, "controllerManager" | "kubelet">;
}

export interface FleetMember {
  name: string;
  region: string;
  zone?: string;
  provider?: string;
  plane: ControlPlane;
  /** Absent when the fleet was asked for none. */
  kubelet?: FakeKubelet;
}

/** A hub and members that know nothing of each other yet. */
export interface Fleet extends AsyncDisposable {
  hub: ControlPlane;
  hubKubelet?: FakeKubelet;
  members: FleetMember[];
  /** Throws for a name that the fleet does not have. */
  member(name: string): FleetMember;
  /** For files of the test; removed with the fleet. */
  dir: string;
}

/** Starts all of them at once on one etcd. They end with the disposal of the fleet, or with this process. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await temporaryFolder("meridian-fleet-")).path;
  const etcd = stack.use(await startEtcd(await controlPlaneAssets(), dir));

  const start = async (name: string, wanted: Pick<MemberOptions, "controllerManager" | "kubelet">) => {
    const { controllerManager = true } = wanted;
    const folder = join(dir, "clusters", name);
    await mkdir(folder, { recursive: true });
    const plane = stack.use(await startControlPlane({ name, controllerManager, etcd, folder }));
    const kubelet = (wanted.kubelet ?? controllerManager) ? stack.use(new FakeKubelet(plane)) : undefined;
    return { plane, ...(kubelet === undefined ? {} : { kubelet }) };
  };

  const settled = await Promise.allSettled([
    start("hub", options.hub ?? {}),
    ...options.members.map((member) => start(member.name, member)),
  ]);
  const failure = settled.find((result) => result.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  const started = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const [hub, ...planes] = started;
  if (hub === undefined) throw new Error("the hub did not start");

  const members = options.members.map((member, index): FleetMember => {
    const { name, region, zone, provider } = member;
    const plane = planes[index];
    if (plane === undefined) throw new Error(`${name} did not start`);
    return {
      name,
      region,
      ...(zone === undefined ? {} : { zone }),
      ...(provider === undefined ? {} : { provider }),
      ...plane,
    };
  });
  const owned = stack.move();
  return {
    hub: hub.plane,
    ...(hub.kubelet === undefined ? {} : { hubKubelet: hub.kubelet }),
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
