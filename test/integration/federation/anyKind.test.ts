import { describe, expect, test } from "vitest";
import { FIRST_RECORD_ANNOTATION, type KubeObject, OBJECT_FINALIZER } from "../../../src/apis/index.ts";
import {
  CLUSTERPLACEMENTS,
  CONFIGMAPS,
  CRDS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  type ResourceType,
} from "../../../src/runtime/index.ts";
import { clusterPlacement, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { BACKUP_KIND, BACKUPS, configMap } from "./objects.ts";

const SETTINGS = { apiVersion: "v1", kind: "ConfigMap" };

function labelled(object: KubeObject, metadata: Partial<KubeObject["metadata"]>): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

function on(
  federation: TestFederation,
  cluster: string,
  type: ResourceType,
  name: string,
  namespace?: string,
): boolean {
  return federation.member(cluster).server.has(type, namespace, name);
}

describe("objects of any kind", () => {
  test("go where a policy sends them as a person wrote them, and what no policy selects stays untouched", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(
      PLACEMENTS,
      placement("settings").selects({ ...SETTINGS, labelSelector: { matchLabels: { tier: "web" } } }),
    );
    await federation.apply(CONFIGMAPS, labelled(configMap("web", { a: "1" }), { labels: { tier: "web" } }));
    await federation.apply(CONFIGMAPS, configMap("mine", { a: "1" }));
    await federation.until(() =>
      ["shanghai", "singapore"].every((name) => on(federation, name, CONFIGMAPS, "web", "default")),
    );
    const copy = federation.member("shanghai").server.get(CONFIGMAPS, "default", "web");
    expect(copy["data"]).toEqual({ a: "1" });
    expect(copy.metadata.labels).toMatchObject({ tier: "web" });
    expect(federation.hub.get(CONFIGMAPS, "default", "web").metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    const mine = federation.hub.get(CONFIGMAPS, "default", "mine");
    expect([mine.metadata.finalizers, mine.metadata.annotations]).toEqual([undefined, undefined]);
    expect(on(federation, "shanghai", CONFIGMAPS, "mine", "default")).toBe(false);

    // A kind without generations: the change of its content is what counts.
    await federation.apply(CONFIGMAPS, labelled(configMap("web", { a: "2" }), { labels: { tier: "web" } }));
    await federation.until(() => {
      const data = federation.member("singapore").server.get(CONFIGMAPS, "default", "web")["data"];
      return (data as Record<string, string>)["a"] === "2";
    });
  });

  test("that no policy selects cost neither a plan nor a write", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("settings").selects({ ...SETTINGS, name: "web" }));
    await federation.pass(5_000);
    const before = federation.hubWrites.length;
    for (let index = 0; index < 50; index += 1)
      await federation.apply(CONFIGMAPS, configMap(`mine-${index}`, { a: "1" }));
    await federation.pass(5_000);
    expect(federation.hubWrites.slice(before)).toEqual([]);
    expect(federation.log.filter((line) => line.includes("mine-"))).toEqual([]);
  });
});

describe("a policy of the whole hub", () => {
  test('says "all of a kind" and means what people made, not what is the hub\'s own', async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.namespace("kube-system");
    await federation.apply(CONFIGMAPS, configMap("web", { a: "1" }));
    await federation.apply(
      CONFIGMAPS,
      labelled(configMap("made", { a: "1" }), {
        ownerReferences: [{ apiVersion: "example.com/v1", kind: "Robot", name: "r", uid: "u", controller: true }],
      }),
    );
    await federation.apply(CONFIGMAPS, labelled(configMap("dns", { a: "1" }), { namespace: "kube-system" }));
    await federation.apply(CONFIGMAPS, labelled(configMap("own", { a: "1" }), { namespace: "meridian-system" }));
    await federation.apply(CONFIGMAPS, configMap("kube-root-ca.crt", { "ca.crt": "x" }));
    await federation.apply(CLUSTERPLACEMENTS, clusterPlacement("everything").selects(SETTINGS));
    await federation.until(() => on(federation, "shanghai", CONFIGMAPS, "web", "default"));
    await federation.pass(5_000);
    const claimed = federation.hub.list(CONFIGMAPS).filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
    expect(claimed.map(({ metadata }) => metadata.name)).toEqual(["web"]);
    const annotated = federation.hub
      .list(CONFIGMAPS)
      .filter(({ metadata }) => metadata.annotations?.[FIRST_RECORD_ANNOTATION] !== undefined);
    expect(annotated.map(({ metadata }) => metadata.name)).toEqual(["web"]);
    expect(on(federation, "shanghai", CONFIGMAPS, "made", "default")).toBe(false);
    expect(on(federation, "shanghai", CONFIGMAPS, "dns", "kube-system")).toBe(false);
  });
});

describe("a kind that comes later", () => {
  const backup: KubeObject = {
    apiVersion: "backups.test/v1",
    kind: "Backup",
    metadata: { name: "nightly", namespace: "default", labels: { keep: "3" } },
  };

  test("on the hub is found, and on a member is found there, while other members go on", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(PLACEMENTS, placement("backups").selects({ apiVersion: "backups.test/v1", kind: "Backup" }));
    await federation.pass(10_000);
    const ready = (): string => {
      const status = federation.hub.get(PLACEMENTS, "default", "backups")["status"] as {
        conditions?: { reason: string }[];
      };
      return status.conditions?.[0]?.reason ?? "";
    };
    expect(ready()).toBe("KindNotServed");
    await federation.member("shanghai").server.install(BACKUP_KIND);
    await federation.apply(CRDS, BACKUP_KIND);
    await federation.until(() => federation.log.some((line) => line.includes("KindServed")));
    await federation.apply(BACKUPS, backup);
    await federation.until(() => on(federation, "shanghai", BACKUPS, "nightly", "default"));
    await federation.until(() => ready() === "Applied");
    await federation.member("singapore").server.install(BACKUP_KIND);
    await federation.until(() => on(federation, "singapore", BACKUPS, "nightly", "default"));
    await federation.delete(BACKUPS, "nightly");
    await federation.until(() => !federation.hub.has(BACKUPS, "default", "nightly"));
    await federation.hub.delete(CRDS, undefined, BACKUP_KIND.metadata.name);
  });

  test("and goes on one member troubles nothing else there, and is found as soon as its definition is back", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    const selectors = [
      { apiVersion: "backups.test/v1", kind: "Backup" },
      { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: BACKUP_KIND.metadata.name },
    ];
    await federation.apply(CLUSTERPLACEMENTS, clusterPlacement("backups").selects(...selectors));
    await federation.apply(CRDS, BACKUP_KIND);
    await federation.until(() => federation.log.some((line) => line.includes("KindServed")));
    await federation.apply(BACKUPS, backup);
    const isOn = (cluster: string): boolean =>
      on(federation, cluster, CRDS, BACKUP_KIND.metadata.name) &&
      on(federation, cluster, BACKUPS, "nightly", "default");
    await federation.until(() => isOn("shanghai") && isOn("singapore"));

    const shanghai = federation.member("shanghai");
    await federation.hub.merge(CLUSTERPLACEMENTS, undefined, "backups", { spec: { suspend: true } });
    await federation.pass(2_000);
    await shanghai.server.delete(CRDS, undefined, BACKUP_KIND.metadata.name);
    await federation.pass(60_000);
    expect([isOn("shanghai"), isOn("singapore")]).toEqual([false, true]);
    expect(federation.entry("shop", "shanghai")?.state).toBe("Available");
    expect(federation.hub.get(MEMBERCLUSTERS, undefined, "shanghai")["status"]).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", status: "True" })]),
    });

    await federation.hub.merge(CLUSTERPLACEMENTS, undefined, "backups", { spec: { suspend: false } });
    await federation.until(() => isOn("shanghai"));
    await federation.delete(BACKUPS, "nightly");
    await federation.until(() => !federation.hub.has(BACKUPS, "default", "nightly"));
    await federation.delete(CRDS, BACKUP_KIND.metadata.name, undefined);
    await federation.until(() => !federation.hub.has(CRDS, undefined, BACKUP_KIND.metadata.name));
    expect(shanghai.server.has(CRDS, undefined, BACKUP_KIND.metadata.name)).toBe(false);
  });
});
