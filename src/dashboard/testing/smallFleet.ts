import type { Table } from "../../query/index.ts";

type Commit = Parameters<Table["commit"]>[0];
type ObjectFacts = NonNullable<Commit["objects"]>[number];
type PlacedFacts = ObjectFacts["placed"][number];
type ClusterValue = NonNullable<Commit["clusters"]>[number];

export const MINUTE = 60_000;

export const REGIONS: Readonly<Record<string, string>> = {
  "eu-1": "eu-central-1",
  "eu-2": "eu-central-1",
  "us-1": "us-east-1",
  "us-2": "us-east-1",
  "ap-1": "ap-south-1",
};

export function cluster(name: string, region: string, rest: Partial<ClusterValue> = {}): ClusterValue {
  return { name, region, state: "Ready", kubernetesVersion: "v1.34.1", stale: false, labels: {}, ...rest };
}

/** Available with two replicas. */
export function placed(name: string, rest: Partial<PlacedFacts> = {}): PlacedFacts {
  const region = REGIONS[name];
  return {
    cluster: name,
    ...(region === undefined ? {} : { region }),
    state: "Available",
    ready: 2,
    desired: 2,
    stale: false,
    ...rest,
  };
}

export function trouble(name: string, reason: string, message: string, since: number): PlacedFacts {
  return placed(name, { state: "Degraded", reason, message, shape: message, ready: 0, since });
}

export function object(
  namespace: string,
  name: string,
  rows: readonly PlacedFacts[],
  rest: Partial<ObjectFacts> = {},
): ObjectFacts {
  const first = rows.find(({ state }) => state !== "Available");
  return {
    identity: { kind: "DemoApplication", group: "paas.cmft.com", namespace, name },
    generation: 7,
    policy: `Placement/${namespace}/near`,
    state: first?.state ?? "Available",
    ...(first?.reason === undefined ? {} : { reason: first.reason }),
    ready: rows.reduce((sum, { ready }) => sum + ready, 0),
    desired: rows.reduce((sum, { desired }) => sum + desired, 0),
    clusters: { ready: rows.filter(({ state }) => state === "Available").length, total: rows.length },
    waits: [],
    stale: rows.some(({ stale }) => stale),
    labels: {},
    ...rest,
    placed: rows.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1)),
  };
}

/** A bad night in small: a missing image, a cluster out of contact, a rollout that waits, a copy that is held. */
export function badNight(now: number): Commit {
  const image = 'Back-off pulling image "registry.example/shop:7"; see https://registry.example/shop';
  const lost = { stale: true, observedAt: now - 9 * MINUTE, state: "Unknown", reason: "ClusterUnreachable" };
  const web = object(
    "shop",
    "web",
    [trouble("eu-1", "ImagePullBackOff", image, now - 12 * MINUTE), placed("us-1"), placed("ap-1", lost)],
    { changed: { generation: 7, at: now - 13 * MINUTE } },
  );
  const message = "for a person to approve stage europe";
  const waits = [{ for: "approval", since: new Date(now - 30 * MINUTE).toISOString(), message }];
  return {
    clusters: Object.entries(REGIONS).map(([name, region]) =>
      name === "ap-1"
        ? cluster(name, region, {
            state: "Unreachable",
            reason: "ClusterUnreachable",
            message: "no answer within 10 s",
            lastContact: now - 9 * MINUTE,
            since: now - 9 * MINUTE,
            stale: true,
          })
        : cluster(name, region),
    ),
    objects: [
      web,
      object("shop", "cart", [trouble("eu-1", "ImagePullBackOff", image, now - 10 * MINUTE), placed("eu-2")]),
      object("shop", "till", [placed("eu-1"), placed("us-2")], {
        state: "Progressing",
        reason: "RolloutPaused",
        message: "stage europe waits for approval",
        change: { generation: 7, stage: 2, stages: 3 },
        waits,
      }),
      object("bank", "ledger", [
        placed("us-1", {
          state: "Progressing",
          reason: "DeletionsHeld",
          message: "too much vanished at once; nothing is removed until a second read agrees",
          since: now - 3 * MINUTE,
        }),
      ]),
    ],
    transitions: [
      {
        at: now - 12 * MINUTE,
        object: web.identity,
        cluster: "eu-1",
        from: "Available",
        to: "Degraded",
        reason: "ImagePullBackOff",
        message: image,
        because: { generation: 7 },
      },
    ],
  };
}

/** Every object on every cluster; one copy in twenty is in trouble. */
export function largeFleet(clusters: number, objects: number, now: number): Commit {
  const names = Array.from({ length: clusters }, (_, at) => `member-${String(at).padStart(3, "0")}`);
  const region = (at: number): string => `region-${String(at % 12).padStart(2, "0")}`;
  return {
    clusters: names.map((name, at) => cluster(name, region(at))),
    objects: Array.from({ length: objects }, (_, at) =>
      object(
        `team-${at % 10}`,
        `app-${String(at).padStart(4, "0")}`,
        names.map((name, on) => ({
          ...((at * 7 + on * 3) % 20 === 0
            ? trouble(name, "CrashLoopBackOff", "the container exits with code 1", now - MINUTE)
            : placed(name)),
          region: region(on),
        })),
      ),
    ),
  };
}

/**
 * Changes of a large fleet for as long as somebody reads them: each breaks or mends a copy; now and then an object leaves
 * and comes back. After so many changes as there are objects, every object has changed and is as it was in the beginning.
 */
export function* changesOf(fleet: Commit, now: () => number): Generator<Commit, never> {
  const objects = fleet.objects ?? [];
  for (let step = 0; ; step++) {
    const before = objects[Math.floor(step / 2) % objects.length];
    if (before === undefined) throw new Error("a fleet without objects does not change");
    if (step % 2 === 1) {
      yield { objects: [before] };
      continue;
    }
    if (step % 20 === 0) {
      yield { deleted: [before.identity] };
      continue;
    }
    const broken = step % before.placed.length;
    const reason = `Reason${step % 7}`;
    const rows = before.placed.map((row, at) =>
      at === broken
        ? { ...trouble(row.cluster, reason, `failed with code ${step % 9}`, now()), ...regionOf(row) }
        : row,
    );
    yield { objects: [{ ...before, placed: rows }] };
  }
}

function regionOf({ region }: PlacedFacts): { region?: string } {
  return region === undefined ? {} : { region };
}
