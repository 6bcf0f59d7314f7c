import { FEDERATION_API_VERSION, type KubeObject, REGION_LABEL, type Taint } from "../../src/apis/index.ts";
import { clusterPlacement, demoApplication, overridePolicy, placement } from "../builders/index.ts";

/** Random changes of objects, policies and clusters: the same ones for the same seed. */

export const PREDICTION_CLUSTERS = [
  { name: "m1", region: "north" },
  { name: "m2", region: "north" },
  { name: "m3", region: "south" },
];
const NAMES = PREDICTION_CLUSTERS.map(({ name }) => name);
const SOUTH = [{ key: "region" as const, operator: "In" as const, values: ["south"] }];
const STAGES = {
  EachAStage: NAMES.map((name) => ({ name, targetClusters: { clusterNames: [name] } })),
  ByRegion: [
    { name: "south", targetClusters: { fieldSelector: { matchExpressions: SOUTH } } },
    { name: "rest", maxConcurrency: 1 },
  ],
};

type Random = (below: number) => number;

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface App {
  image: number;
  replica: number;
  config: boolean;
}

/** What the policy of all applications says. */
interface Everywhere {
  names: string[];
  rollout: "None" | keyof typeof STAGES;
  failover: boolean;
}

interface Cluster {
  tier: string;
  taint?: Taint["effect"];
}

export interface Change {
  name: string;
  object: KubeObject;
}

/** Remembers what it has asked for, so that one change is one change. */
export class RandomChanges {
  readonly #random: Random;
  readonly #namespace: string;
  readonly #apps = new Map<string, App>();
  readonly #clusters = new Map<string, Cluster>();
  #all: Everywhere = { names: NAMES, rollout: "None", failover: false };
  #content = 0;
  readonly #kinds: readonly ((app: string, cluster: string) => Change)[] = [
    (app) => ({ name: `another image of ${app}`, object: this.#app(app, ({ image }) => ({ image: image + 1 })) }),
    (app) => this.#scale(app),
    (app) => ({
      name: `${app} reads the ConfigMap, or not`,
      object: this.#app(app, ({ config }) => ({ config: !config })),
    }),
    () => ({ name: "another ConfigMap", object: this.#config() }),
    (_, cluster) => this.#take(cluster),
    (app) => this.#divide(app),
    (app) => this.#divideWithin(app),
    (app) => this.#spread(app),
    () => this.#override(),
    (_, cluster) => this.#label(cluster),
    (_, cluster) => this.#taint(cluster),
    (app) => this.#fence(app),
    () => this.#rollOut(),
    () => this.#failOver(),
    (app) => this.#divideByHeadroom(app),
  ];

  constructor(random: Random, namespace: string) {
    this.#random = random;
    this.#namespace = namespace;
  }

  /** What is there at the beginning. */
  start(): KubeObject[] {
    return [this.#config(), ...["a", "b"].map((name) => this.#app(name)), this.#everywhere({})];
  }

  next(): Change {
    const app = this.#one(["a", "b", "c"]);
    const cluster = this.#one(NAMES);
    return this.#one(this.#kinds)(app, cluster);
  }

  #one<T>(all: readonly T[]): T {
    return all[this.#random(all.length)] as T;
  }

  #scale(app: string): Change {
    const more = this.#random(3);
    return {
      name: `other replicas of ${app}`,
      object: this.#app(app, ({ replica }) => ({ replica: 1 + ((replica + more) % 4) })),
    };
  }

  #take(cluster: string): Change {
    const some = NAMES.filter(() => this.#random(3) > 0);
    const names = some.length === 0 ? [cluster] : some;
    return { name: `the policy takes ${names.join()}`, object: this.#everywhere({ names }) };
  }

  #rollOut(): Change {
    const rollout = this.#one(["EachAStage", "ByRegion", "EachAStage", "ByRegion", "None"] as const);
    return { name: `the policy rolls out: ${rollout}`, object: this.#everywhere({ rollout }) };
  }

  #failOver(): Change {
    const failover = !this.#all.failover;
    return { name: `the policy ${failover ? "has" : "has no"} failover`, object: this.#everywhere({ failover }) };
  }

  #divide(app: string): Change {
    const shares = NAMES.map(() => 1 + this.#random(4));
    const weights = NAMES.map((one, i) => ({ targetClusters: { clusterNames: [one] }, weight: shares[i] ?? 1 }));
    const divided = this.#ofOne(app).divided(...weights);
    return { name: `${app} is divided ${shares.join(":")}`, object: divided.object() };
  }

  #divideWithin(app: string): Change {
    const [least, most] = [this.#random(2), 1 + this.#random(4)];
    const bounds = this.#ofOne(app).dividedBetween(Math.min(least, most), most);
    return { name: `${app} is divided by ${least} to ${most} for each cluster`, object: bounds.object() };
  }

  #divideByHeadroom(app: string): Change {
    const strategy = this.#one(["Available", "Aggregated"] as const);
    return { name: `${app} is divided by room: ${strategy}`, object: this.#ofOne(app).byHeadroom(strategy).object() };
  }

  /** Not all of them can be met. */
  #spread(app: string): Change {
    const count = 1 + this.#random(3);
    const regions = 1 + this.#random(Math.min(2, count));
    const spread = this.#ofOne(app).clusterCount(count).spread({ topologyKey: "region", minGroups: regions });
    const object = this.#random(2) === 0 ? spread : spread.divided();
    return { name: `${app} is spread: ${count} clusters of ${regions} regions`, object: object.object() };
  }

  #ofOne(app: string): ReturnType<typeof placement> {
    return placement(`of-${app}`)
      .namespace(this.#namespace)
      .of(app)
      .priority(1 + this.#random(3));
  }

  #override(): Change {
    const override = overridePolicy(`o${this.#random(3)}`).namespace(this.#namespace);
    const region = this.#one(["north", "south"]);
    const what =
      this.#random(2) === 0 ? { replicas: 1 + this.#random(3) } : { labels: { tier: `t${this.#random(3)}` } };
    return { name: `an override in ${region}`, object: override.inRegion(region, what).object() };
  }

  #label(name: string): Change {
    const tier = `t${this.#random(2)}`;
    return { name: `${name} is labelled ${tier}`, object: this.#cluster(name, { tier }) };
  }

  #taint(name: string): Change {
    const effect = this.#one(["NoSchedule", "NoExecute"] as const);
    if (this.#clusters.get(name)?.taint !== undefined) return { name: `${name} is clean`, object: this.#clean(name) };
    return { name: `${name} is tainted ${effect}`, object: this.#cluster(name, { taint: effect }) };
  }

  #fence(app: string): Change {
    const fenced = clusterPlacement(`tier-${this.#random(2)}`)
      .of(app)
      .priority(this.#random(6));
    const selector = { name: "tier", labelSelector: { matchLabels: { tier: `t${this.#random(2)}` } } };
    return { name: `${app} goes by the label of clusters`, object: fenced.affinity(selector).object() };
  }

  #app(name: string, change: (app: App) => Partial<App> = () => ({})): KubeObject {
    const before = this.#apps.get(name) ?? { image: 0, replica: 2, config: false };
    const app = { ...before, ...change(before) };
    this.#apps.set(name, app);
    const plain = demoApplication(name)
      .namespace(this.#namespace)
      .image(`nginx:1.${app.image}`)
      .replica(app.replica)
      .port(80);
    const object = plain.object();
    if (!app.config) return object;
    return { ...object, spec: { ...(object["spec"] as object), envFrom: [{ configMapRef: { name: "settings" } }] } };
  }

  #config(): KubeObject {
    this.#content += 1;
    const metadata = { name: "settings", namespace: this.#namespace };
    return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { content: `${this.#content}` } };
  }

  #everywhere(change: Partial<Everywhere>): KubeObject {
    this.#all = { ...this.#all, ...change };
    const { names, rollout, failover } = this.#all;
    let policy = placement("everywhere")
      .namespace(this.#namespace)
      .onClusters(...names);
    if (failover) policy = policy.failover({ gracePeriod: "5m", returnAfter: "10m" });
    if (rollout !== "None") policy = policy.rollout({ stages: STAGES[rollout], onFailure: "Rollback" });
    return policy.object();
  }

  #clean(name: string): KubeObject {
    const { tier = "t0" } = this.#clusters.get(name) ?? {};
    this.#clusters.set(name, { tier });
    return this.#cluster(name, {});
  }

  #cluster(name: string, change: Partial<Cluster>): KubeObject {
    const cluster = { tier: "t0", ...this.#clusters.get(name), ...change };
    this.#clusters.set(name, cluster);
    const region = PREDICTION_CLUSTERS.find((one) => one.name === name)?.region ?? "";
    const connection = { kubeconfigSecretRef: { name, key: "kubeconfig" } };
    const taints = cluster.taint === undefined ? {} : { taints: [{ key: "maintenance", effect: cluster.taint }] };
    return {
      apiVersion: FEDERATION_API_VERSION,
      kind: "MemberCluster",
      metadata: { name, labels: { [REGION_LABEL]: region, tier: cluster.tier } },
      spec: { connection, ...taints },
    };
  }
}
