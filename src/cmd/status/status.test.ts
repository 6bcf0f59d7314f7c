import { describe, expect, test } from "vitest";
import type { Condition, KubeObject } from "../../apis/index.ts";
import { CLUSTERRESOURCEBINDINGS, MANIFESTBUNDLES, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { lacks, select } from "./statusSelection.ts";
import type { Shown } from "../view/statusReading.ts";
import { rowsOf } from "../live/rows.ts";
import { formatStatus } from "../view/statusTable.ts";
import { buildReport, isHealthy } from "../view/statusView.ts";
import { app, cluster, condition, entry, fine } from "../testing/statusObjects.ts";

const now = Date.parse("2026-11-21T08:30:00Z");

const ready = condition("Ready", "True", "Connected");
const lost = condition("Ready", "False", "ClusterUnreachable", "connection refused");

const report = buildReport(
  [
    app(
      "shop",
      [
        ...fine.slice(0, 2),
        condition("Available", "False", "ClusterUnreachable", "1 of 2 clusters available"),
        condition("Fresh", "False", "ClusterUnreachable"),
      ],
      [
        entry("a", "Available", 5),
        entry("b", "Unknown", 2, {
          reason: "ClusterUnreachable",
          message: "connection refused",
          observedAt: "2026-11-21T08:24:00Z",
        }),
      ],
    ),
    app("blog", fine, [entry("a", "Available", 1)]),
  ],
  [cluster("b", lost), cluster("a", ready), cluster("c", undefined)],
);

describe("the tables", () => {
  test("say in a line for each object and each cluster where it is and why it is not well", () => {
    expect(formatStatus(report, { wide: false, color: false, now })).toBe(
      [
        "TROUBLE",
        "ClusterUnreachable: default/shop in b since 08:24 UTC (6m)",
        "  connection refused",
        "  next: check that the API server of b runs and that the manager can reach it; contact returns by itself; `meridian unjoin b` ends the membership",
        "NotReported: cluster c",
        "  no manager has reported on it yet",
        "  next: check that a manager runs: `kubectl get pods -n meridian-system`",
        "",
        "OBJECT         READY   CLUSTERS   WORST                  SINCE   CHANGE   SEEN",
        "default/blog   1/1     1/1        -                      -       gen 1    now",
        "default/shop   5/7     1/2        b:ClusterUnreachable   5m      gen 1    6m",
        "",
        "CLUSTER   REGION   READY     VERSION   OBJECTS   LAST CONTACT   REASON",
        "a         r-a      True      v1.35.4   2         now            -",
        "b         r-b      False     v1.35.4   1         5m ago         ClusterUnreachable",
        "c         r-c      Unknown   -         0         never          NotReported",
        "",
      ].join("\n"),
    );
  });

  test("tell replicas apart of which a cluster said before it was out of contact", () => {
    const object = app("shop", fine, [entry("a", "Available", 5), entry("b", "Available", 2)]);
    const rowOf = (ready: number): string => {
      const staleReplicas = { desired: 2, updated: 2, ready, available: ready };
      const status = { ...(object["status"] as object), staleReplicas };
      return formatStatus(buildReport([{ ...object, status }], []), { wide: false, color: false, now });
    };
    expect(rowOf(2)).toMatch(/ 7\/7 \(2 stale\) +2\/2 /);
    expect(rowOf(0)).toMatch(/ 7\/7 +2\/2 /);
  });

  test("name a cluster that is slow, with its figure in wide, and leave it ready", () => {
    const slow = condition("Slow", "True", "SlowAnswers", "answers take about 2.5s");
    const status = { conditions: [ready, slow], latency: "2.5s", kubernetesVersion: "v1.35.4" };
    const built = buildReport([], [{ ...cluster("a", ready), status }, cluster("b", ready)]);
    expect(formatStatus(built, { wide: false, color: false, now })).toMatch(
      /^WAITS\nSlowAnswers: cluster a since 08:25 UTC \(5m\)\n  answers take about 2.5s\n  next: check /,
    );
    const wide = formatStatus(built, { wide: true, color: false, now });
    expect(wide).toMatch(/LAST CONTACT +LATENCY +REASON\n/);
    expect(wide).toMatch(/^a .* now +2\.5s +SlowAnswers: answers take about 2\.5s$/m);
    expect(wide).toMatch(/^b .* now +<1s +-$/m);
    expect(isHealthy(built)).toBe(true);
  });

  test("count the last contact of a cluster from its last answer, as its objects do", () => {
    const status = { conditions: [lost], lastContact: "2026-11-21T08:24:00Z", kubernetesVersion: "v1.35.4" };
    const built = buildReport([], [{ ...cluster("b", ready), status }]);
    expect(formatStatus(built, { wide: false, color: false, now })).toMatch(
      /^ClusterUnreachable: cluster b since 08:24 UTC \(6m\)$/m,
    );
    expect(formatStatus(built, { wide: false, color: false, now })).toMatch(/^b .* 6m ago +ClusterUnreachable$/m);
  });

  test("name what is held on a cluster that is ready", () => {
    const held = condition("DeletionsHeld", "True", "HubWentBack", "hub lacks 38 objects");
    const { clusters } = buildReport([], [{ ...cluster("a", ready), status: { conditions: [ready, held] } }]);
    expect(clusters).toMatchObject([{ ready: "True", reason: "HubWentBack", message: "hub lacks 38 objects" }]);
    expect(clusters).toMatchObject([{ held: "hub lacks 38 objects" }]);
    expect(buildReport([], [cluster("a", ready)]).clusters[0]).not.toHaveProperty("held");
  });

  test.each([
    { taints: ["unschedulable"], want: "True,Cordoned" },
    { taints: ["unschedulable", "drain"], want: "True,Draining" },
  ])("say of a cluster that is out of service that it is: $want", ({ taints, want }) => {
    const object = cluster("a", ready);
    const marks = taints.map((name) => ({ key: `federation.paas.cmft.com/${name}`, effect: "NoSchedule" }));
    const built = buildReport([], [{ ...object, spec: { ...(object["spec"] as object), taints: marks } }]);
    expect(formatStatus(built, { wide: false, color: false, now })).toMatch(new RegExp(`^a +r-a +${want} +v1`, "m"));
    expect(rowsOf(built, []).map(({ state }) => state)).toEqual([want.replace("True", "Ready")]);
    expect(isHealthy(built)).toBe(true);
  });

  test("say why a copy is held though what is asked for runs elsewhere", () => {
    const held = { reason: "NamespaceNotGranted", message: "run meridian join b --namespaces default" };
    const object = app("shop", fine, [entry("a", "Available", 1), entry("b", "Held", 1, held)]);
    const built = buildReport([object], []);
    expect(built.objects[0]).toMatchObject({ healthy: true, message: `b: ${held.message}` });
    expect(formatStatus(built, { wide: false, color: false, now })).toMatch(
      /^WAITS FOR A PERSON\nNamespaceNotGranted: default\/shop in b since .*\n  run meridian join b /,
    );
  });

  test("say of a cluster that leaves what its removal waits for", () => {
    const waits = condition("Removed", "False", "DeletionWaits", "Drain: ConfigMap shop is held");
    const going = cluster("a", ready);
    const deleted = { ...going.metadata, deletionTimestamp: "2026-11-21T08:00:00Z" };
    const rowOf = (...conditions: Condition[]): string => {
      const object = { ...going, metadata: deleted, status: { conditions } };
      return formatStatus(buildReport([], [object]), { wide: false, color: false, now });
    };
    expect(rowOf(ready, waits)).toMatch(/ Deleting: Drain: ConfigMap shop is held\n$/);
    expect(rowOf(lost, waits)).toMatch(/ Deleting: Drain: ConfigMap shop is held\n$/);
    expect(rowOf(ready)).toMatch(/ Deleting\n$/);
  });

  test("wide add a line for each object on each cluster, with the time of observation", () => {
    const text = formatStatus(report, { wide: true, color: false, now });
    expect(text).toContain(
      "default     shop   b         r-b      Unknown     2         2         0       6m ago     ClusterUnreachable   connection refused",
    );
    expect(text).toContain("ClusterUnreachable 1: 1 of 2 clusters available");
  });

  test("say how old the statuses are while no manager runs", () => {
    const seen = (lastSeen: string): string[] =>
      formatStatus(report, { wide: false, color: false, now, lastSeen })
        .split("\n")
        .flatMap((line) => (line.startsWith("default/") ? [line.split(/ {3,}/).at(-1) ?? ""] : []));
    expect(seen("2026-11-21T08:10:00.000000Z")).toEqual(["20m", "20m"]);
    expect(seen("2026-11-21T08:28:00.000000Z")).toEqual(["2m", "6m"]);
  });

  test("have colours only when asked for", () => {
    expect(formatStatus(report, { wide: true, color: false, now })).not.toContain("\u001b");
    expect(formatStatus(report, { wide: false, color: true, now })).toContain("\u001b[31mClusterUnreachable\u001b[0m");
  });
});

test("clusters that the status only sums up are counted", () => {
  const object = app("big", fine, [entry("a", "Failed", 1)]);
  (object["status"] as Record<string, unknown>)["summary"] = [
    { region: "r", clusters: 120, replicas: { desired: 1, updated: 1, ready: 1, available: 1 } },
  ];
  expect(buildReport([object], []).objects[0]).toMatchObject({ clusterCount: 121, availableClusters: 120 });
});

test("an object is available on as many clusters as its status says, where old copies serve too", () => {
  const object = app("shop", fine, [
    entry("a", "Progressing", 2),
    entry("b", "Available", 2),
    entry("c", "Removing", 0),
  ]);
  (object["status"] as Record<string, unknown>)["availableClusters"] = "2/2";
  const report = buildReport([object], []);
  expect(report.objects[0]).toMatchObject({ clusterCount: 3, availableClusters: 2, available: "2/2" });
  expect(formatStatus(report, { wide: false, color: false, now })).toMatch(/ 2\/2 \(\+1 leaving\) /);
});

test("the clusters of an object stand below it where it was asked for by name", () => {
  const named = formatStatus(report, { wide: false, color: false, now, entries: true });
  expect(named).toMatch(/^default +shop +b +r-b +Unknown /m);
  expect(formatStatus(report, { wide: false, color: false, now })).not.toMatch(/^default +shop +b +r-b/m);
});

test("the JSON keeps its shape when there is nothing to say", () => {
  expect(buildReport([app("x", undefined)], [cluster("c", undefined)])).toEqual({
    objects: [
      {
        apiVersion: "paas.cmft.com/v1",
        kind: "DemoApplication",
        namespace: "default",
        name: "x",
        healthy: false,
        reason: "NotReported",
        reasons: [{ reason: "NotReported" }],
        message: "no manager has reported on it yet",
        since: "2026-11-21T08:00:00Z",
        placement: "",
        replicas: { desired: 0, updated: 0, ready: 0, available: 0 },
        conditions: [],
        clusters: [],
        unlistedClusters: [],
        clusterCount: 0,
        availableClusters: 0,
        available: "0/0",
        change: { generation: 1 },
        worst: { reason: "NotReported" },
        createdAt: "2026-11-21T08:00:00Z",
      },
    ],
    clusters: [
      {
        name: "c",
        region: "r-c",
        zone: "",
        provider: "",
        ready: "Unknown",
        outOfService: "",
        reason: "NotReported",
        message: "no manager has reported on it yet",
        version: "",
        objects: 0,
        since: "",
        lastContact: "",
        latency: "",
        troubles: [],
        deletedAt: "",
        deleting: false,
        createdAt: "2026-11-20T08:00:00Z",
      },
    ],
  });
});

describe("select", () => {
  const names = (wanted: string[]) => {
    const { objects, clusters } = select(report, wanted, { clusters: true });
    return { objects: objects.map(({ name }) => name), clusters: clusters.map(({ name }) => name) };
  };

  test.each([
    { wanted: [], want: { objects: ["blog", "shop"], clusters: ["a", "b", "c"] } },
    { wanted: ["blog"], want: { objects: ["blog"], clusters: ["a"] } },
    { wanted: ["demo/shop"], want: { objects: ["shop"], clusters: ["a", "b"] } },
    { wanted: ["demoapplication.paas.cmft.com/blog", "mc/c"], want: { objects: ["blog"], clusters: ["a", "c"] } },
    { wanted: ["membercluster/b"], want: { objects: [], clusters: ["b"] } },
  ])("$wanted gives $want", ({ wanted, want }) => expect(names(wanted)).toEqual(want));

  test.each([
    { wanted: "nope", says: 'the hub has no demoapplication "nope" in any namespace' },
    { wanted: "mc/nope", says: 'the hub has no member cluster "nope"' },
    { wanted: "pod/x", says: 'no policy places a pod "x" in any namespace, nor any other pod' },
    { wanted: "clusters/a", says: "nor any other clusters: if it is a member cluster, write membercluster/a" },
    { wanted: "pod/x", says: "(kinds are named in full: service/x, not svc/x)" },
    {
      wanted: "node/x",
      says: "objects of the kind Node are never placed: it stands for what a cluster is made of; applications are named",
    },
    {
      wanted: "default/blog",
      says: '"default/blog" is read as KIND/NAME, and default is a namespace: write blog -n default',
    },
    { wanted: "/x", says: '"/x" names no object' },
    { wanted: "pod/", says: '"pod/" names no object' },
  ])("refuses $wanted", ({ wanted, says }) => expect(() => names([wanted])).toThrow(says));

  test("names what is in another namespace, what is called so first", () => {
    const shown = { clusters: true, namespace: "nope" };
    const none = { objects: [], clusters: report.clusters };
    expect(lacks(none, ["shop"])).toBe(true);
    expect([lacks(report, ["shop", "mc/nope"]), lacks(report, ["mc/nope"])]).toEqual([false, false]);
    expect(() => select(none, ["shop"], shown, { around: report })).toThrow(
      'no demoapplication "shop" in namespace nope; name one of these: shop -n default, blog -n default',
    );
  });

  test("names what there is instead", () => {
    expect(() => names(["nope"])).toThrow(
      "name one of these: blog -n default, shop -n default (a cluster is named as membercluster/NAME)",
    );
    expect(() => names(["mc/nope"])).toThrow("name one of these: a, b, c");
    const shown = { clusters: true, namespace: "default" };
    expect(() => select(report, ["nope"], shown)).toThrow("name one of these: blog, shop");
    expect(() => select(report, ["mc/a"], { clusters: false })).not.toThrow();
    expect(() => select(report, ["mc/nope"], { clusters: false })).toThrow("your rights on the hub do not show");
  });

  test.each([
    { wanted: "deployment/x", needs: "resourcebindings and clusterresourcebindings" },
    { wanted: "mb/x", needs: "manifestbundles" },
  ])("says of $wanted that the rights do not show it, and denies nothing", ({ wanted, needs }) => {
    const hidden = [MANIFESTBUNDLES, RESOURCEBINDINGS, CLUSTERRESOURCEBINDINGS];
    expect(() => select(report, [wanted], { clusters: true, hidden })).toThrow(
      new RegExp(
        `^your rights on the hub do not show whether a .* "x" is placed in any namespace: .* to list ${needs}$`,
      ),
    );
    const others = hidden.filter(({ plural }) => !needs.includes(plural));
    expect(() => select(report, [wanted], { clusters: true, hidden: others })).toThrow(
      /^(no policy places|the hub has no)/,
    );
    expect(() => select(report, ["nope"], { clusters: true, hidden })).toThrow("the hub has no demoapplication");
    expect(() => select(report, ["pod/x"], { clusters: true })).toThrow("no policy places a pod");
  });

  test("passes over names that are gone, where it may", () => {
    const shown = { clusters: true };
    expect(select(report, ["blog", "nope", "mc/nope"], shown, { absent: "Skip" }).objects).toHaveLength(1);
  });
});

describe("objects of other kinds", () => {
  const bound = (apiVersion: string, kind: string, name: string, namespace?: string): KubeObject => ({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: namespace === undefined ? "ClusterResourceBinding" : "ResourceBinding",
    metadata: { name: "any", generation: 7, creationTimestamp: "2026-11-20T08:00:00Z" },
    spec: { resource: { apiVersion, kind, name, uid: "u", ...(namespace === undefined ? {} : { namespace }) } },
    status: { observedGeneration: 3, conditions: fine, clusters: [entry("a", "Available", 1)] },
  });
  const objects = [
    app("my-db", fine, [entry("b", "Available", 1)]),
    bound("mysql.presslabs.org/v1alpha1", "MysqlCluster", "my-db", "default"),
    bound("other.io/v1", "MysqlCluster", "my-db", "default"),
    bound("networking.k8s.io/v1", "NetworkPolicy", "closed", "default"),
    bound("rbac.authorization.k8s.io/v1", "ClusterRole", "reader"),
  ];
  const bundle = {
    ...app("operator", fine, [entry("a", "Available", 1)]),
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "ManifestBundle",
  };
  const all = buildReport([...objects, bundle], [cluster("a", ready), cluster("b", ready)]);

  test("are reported as what their bindings are about, with the time of the object's placing", () => {
    expect(all.objects.find(({ kind }) => kind === "ClusterRole")).toMatchObject({
      apiVersion: "rbac.authorization.k8s.io/v1",
      namespace: "",
      name: "reader",
      healthy: true,
      clusterCount: 1,
      createdAt: "2026-11-20T08:00:00Z",
    });
  });

  test.each([
    { wanted: "mysqlcluster/my-db", want: ["mysql.presslabs.org/v1alpha1", "other.io/v1"] },
    { wanted: "mysqlclusters.mysql.presslabs.org/my-db", want: ["mysql.presslabs.org/v1alpha1"] },
    { wanted: "MysqlCluster.other.io/my-db", want: ["other.io/v1"] },
    { wanted: "networkpolicies/closed", want: ["networking.k8s.io/v1"] },
    { wanted: "manifestbundle/operator", want: ["federation.paas.cmft.com/v1alpha1"] },
    { wanted: "mb/operator", want: ["federation.paas.cmft.com/v1alpha1"] },
    { wanted: "clusterrole/reader", want: ["rbac.authorization.k8s.io/v1"] },
    { wanted: "my-db", want: ["paas.cmft.com/v1"] },
  ])("are chosen as $wanted", ({ wanted, want }) => {
    expect(select(all, [wanted], { clusters: true }).objects.map(({ apiVersion }) => apiVersion)).toEqual(want);
  });

  test("have their kind before their name in a table", () => {
    const table = formatStatus(all, { wide: false, color: false, now: 0 });
    expect(table).toMatch(/^default\/mysqlcluster\/my-db /m);
    expect(table).toMatch(/^default\/my-db /m);
    expect(table).toMatch(/^clusterrole\/reader /m);
  });
});

describe("the clusters of a selection", () => {
  const counts = (wanted: string[], shown: Partial<Shown> = {}) =>
    Object.fromEntries(
      select(report, wanted, { clusters: true, ...shown }).clusters.map(({ name, objects }) => [name, objects]),
    );

  test.each<{ what: string; wanted: string[]; shown?: Partial<Shown>; want: Record<string, number> }>([
    { what: "everything", wanted: [], want: { a: 2, b: 1, c: 0 } },
    { what: "a name: its clusters, and nothing else is counted there", wanted: ["blog"], want: { a: 1 } },
    { what: "a cluster: all that is on it", wanted: ["mc/a"], want: { a: 2 } },
    { what: "a name and a cluster", wanted: ["shop", "mc/c"], want: { a: 1, b: 1, c: 0 } },
    { what: "a namespace: its clusters", wanted: [], shown: { namespace: "default" }, want: { a: 2, b: 1 } },
    { what: "labels: their clusters", wanted: [], shown: { selector: "x=y" }, want: { a: 2, b: 1 } },
  ])("of $what", ({ wanted, shown, want }) => expect(counts(wanted, shown)).toEqual(want));

  test("are all of them for an object of which the status sums some up", () => {
    const object = app("big", fine, [entry("a", "Available", 1)]);
    (object["status"] as Record<string, unknown>)["summary"] = [
      { region: "r", clusters: 120, replicas: { desired: 1, updated: 1, ready: 1, available: 1 } },
    ];
    const big = buildReport([object], [cluster("a", ready), cluster("z", ready)]);
    expect(select(big, ["big"], { clusters: true }).clusters.map(({ name }) => name)).toEqual(["a", "z"]);
  });
});
