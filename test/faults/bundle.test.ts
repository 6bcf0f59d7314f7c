import { expect, test } from "vitest";
import {
  ALLOW_CRD_REMOVAL_ANNOTATION,
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  type FederatedStatus,
  type KubeObject,
} from "../../src/apis/index.ts";
import { bundle, clusterRole, definition, operator, placement, serviceAccount, widget } from "../builders/index.ts";
import { useFederation } from "../e2e/federation.ts";
import { collectionPath, objectPath } from "../e2e/objects.ts";
import { eventually } from "../envtest/index.ts";
import { KillPoints, QUICK_LEASE, WAIT_MS } from "./killPoints.ts";

const SHANGHAI = "shanghai-1";
const FRANKFURT = "frankfurt-1";
const DEFINITION = "widgets.example.com";
const CLUSTER_SCOPED = ["CustomResourceDefinition", "ClusterRole"];
const KINDS = ["CustomResourceDefinition", "ClusterRole", "ServiceAccount", "Deployment", "Widget"];
/** The operator finishes the object when it goes. */
const FINALIZER = "example.com/operator";

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: FRANKFURT, region: "eu-central-1" },
  ],
  joinArgs: ["--kinds", `customresourcedefinitions.apiextensions.k8s.io,ClusterRole,ServiceAccount,${DEFINITION}`],
  managerArgs: QUICK_LEASE,
});

/** In which order the objects of the bundle came to one member and went from there, and whether any came twice. */
class Order implements AsyncDisposable {
  readonly #seen = new Map<string, { kind: string; came: number; went?: number }>();
  readonly #stop = new AbortController();
  readonly #watches: Promise<void>[];

  constructor(cluster: string, namespace: string) {
    this.#watches = KINDS.map((kind) => this.#follow(cluster, namespace, kind));
  }

  async #follow(cluster: string, namespace: string, kind: string): Promise<void> {
    const { signal } = this.#stop;
    const name = { CustomResourceDefinition: DEFINITION, ClusterRole: namespace }[kind];
    while (!signal.aborted) {
      try {
        for await (const { type, object } of federation
          .memberApi(cluster)
          .watch<KubeObject>(collectionPath(kind, CLUSTER_SCOPED.includes(kind) ? undefined : namespace), signal))
          if (name === undefined || object.metadata.name === name) this.#take(kind, type, object);
      } catch {
        // The kind is served once its definition is there; the next watch begins with what there is.
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #take(kind: string, type: string, { metadata: { uid = "", name, resourceVersion } }: KubeObject): void {
    if (uid === "" || name === "default") return;
    const version = Number(resourceVersion);
    const life = this.#seen.get(uid) ?? { kind: `${kind} ${name}`, came: version };
    this.#seen.set(uid, type === "DELETED" ? { ...life, went: version } : life);
  }

  /** Kinds in the order of what `of` says; the versions of a server count all of its writes. */
  names(of: "came" | "went"): string[] {
    const lives = [...this.#seen.values()].filter((life) => life[of] !== undefined);
    return lives.toSorted((a, b) => (a[of] ?? 0) - (b[of] ?? 0)).map(({ kind }) => kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#watches);
  }
}

test("a manager killed in each phase of a bundle applies, moves and removes it in order, each object once", async () => {
  const namespace = await federation.namespace();
  const annotations = { [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "ClusterRole,CustomResourceDefinition" };
  await federation.api.patch(objectPath("Namespace", undefined, namespace), "merge", { metadata: { annotations } });
  const selects = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
  const where = (cluster: string) =>
    federation.apply(placement("where").namespace(namespace).selects(selects).onClusters(cluster));
  const parts = [
    widget("first", { finalizers: [FINALIZER] }),
    operator("operator"),
    clusterRole(namespace),
    serviceAccount("operator"),
    definition(),
  ];
  const path = objectPath("ManifestBundle", namespace, "operator");
  const entries = async () =>
    (await federation.api.get<KubeObject & { status?: FederatedStatus }>(path)).status?.clusters ?? [];
  /** Where the definition is not there, nor is the path. */
  const find = (cluster: string, kind: string, name: string) =>
    federation
      .memberApi(cluster)
      .find(objectPath(kind, CLUSTER_SCOPED.includes(kind) ? undefined : namespace, name))
      .catch(() => undefined);
  const has = (cluster: string, kind: string, name: string) => async () =>
    expect(await find(cluster, kind, name)).toBeDefined();
  const lacks = (cluster: string, kind: string, name: string) => async () =>
    expect(await find(cluster, kind, name)).toBeUndefined();
  const finish = (cluster: string) =>
    federation
      .memberApi(cluster)
      .patch(objectPath("Widget", namespace, "first"), "merge", { metadata: { finalizers: null } });
  const isGoing = async (cluster: string) =>
    expect((await find(cluster, "Widget", "first"))?.metadata.deletionTimestamp).toBeDefined();

  await using shanghai = new Order(SHANGHAI, namespace);
  await using frankfurt = new Order(FRANKFURT, namespace);
  const points = new KillPoints(federation);
  const there = (cluster: string) => [
    ["CustomResourceDefinition", DEFINITION, cluster],
    ["ServiceAccount", "operator", cluster],
    ["Deployment", "operator", cluster],
    ["Widget", "first", cluster],
  ];

  await where(SHANGHAI);
  await federation.apply(bundle("operator", parts, { namespace }));
  for (const [kind = "", name = "", cluster = ""] of there(SHANGHAI))
    await points.at(`${kind} is there`, has(cluster, kind, name));
  await points.at("the status is written", async () => expect((await entries())[0]?.observedHash).toBeDefined());

  federation.member(FRANKFURT).kubelet?.behave({ fate: () => "hang" });
  await where(FRANKFURT);
  for (const [kind = "", name = "", cluster = ""] of there(FRANKFURT))
    await points.at(`${kind} is there, too`, has(cluster, kind, name));
  await points.at("what serves waits for the other one", async () =>
    expect(await entries()).toContainEqual(expect.objectContaining({ name: SHANGHAI, reason: "AwaitingReplacement" })),
  );
  expect(shanghai.names("went")).toEqual([]);
  federation.member(FRANKFURT).kubelet?.behave({});
  await points.at("the custom object goes", () => isGoing(SHANGHAI));
  await points.at("it waits for its operator", async () => {
    const [first] = (await entries()).filter(({ name }) => name === SHANGHAI);
    expect(first?.message).toContain(FINALIZER);
  });
  await has(SHANGHAI, "Deployment", "operator")();
  await finish(SHANGHAI);
  for (const [kind = "", name = "", cluster = ""] of there(SHANGHAI).toReversed())
    await points.at(`${kind} is gone`, lacks(cluster, kind, name));

  await federation.memberApi(FRANKFURT).create(collectionPath("Widget", namespace), widget("precious", { namespace }));
  await federation.api.delete(path);
  await points.at("the bundle goes", () => isGoing(FRANKFURT));
  await finish(FRANKFURT);
  for (const [kind = "", name = "", cluster = ""] of there(FRANKFURT).toReversed().slice(0, -1))
    await points.at(`${kind} is gone, too`, lacks(cluster, kind, name));
  await points.at("the definition waits for a person", async () =>
    expect(await entries()).toMatchObject([{ state: "Held", reason: "CustomObjectsExist" }]),
  );
  await has(FRANKFURT, "Widget", "precious")();
  const agreed = { metadata: { annotations: { [ALLOW_CRD_REMOVAL_ANNOTATION]: DEFINITION } } };
  await federation.api.patch(path, "merge", agreed);
  await points.at("the definition is gone", lacks(FRANKFURT, "CustomResourceDefinition", DEFINITION));
  await eventually(async () => expect(await federation.api.find(path)).toBeUndefined(), { timeout: WAIT_MS });

  const definitionFirst = `CustomResourceDefinition ${DEFINITION}`;
  const objects = [`ClusterRole ${namespace}`, "Deployment operator", "ServiceAccount operator", "Widget first"];
  for (const order of [shanghai, frankfurt]) {
    const own = (of: "came" | "went") => order.names(of).filter((name) => name !== "Widget precious");
    expect(own("came").toSorted(), "each object came once").toEqual([...objects, definitionFirst].toSorted());
    expect(own("came")[0]).toBe(definitionFirst);
    expect(own("came").at(-1)).toBe("Widget first");
    expect(own("went").slice(0, 2)).toEqual(["Widget first", "Deployment operator"]);
    expect(own("went").at(-1)).toBe(definitionFirst);
  }
});
