import { expect, test } from "vitest";
import type { ClusterStatusEntry, Condition, FederatedStatus, KubeObject } from "../../src/apis/index.ts";
import { clusterPlacement } from "../builders/index.ts";
import { conditionOf, useFederation } from "../e2e/federation.ts";
import { collectionPath } from "../e2e/objects.ts";
import { eventually, throughout } from "../envtest/index.ts";
import { PUBLISHED, publishedCrds } from "./publishedCrds.ts";

/** The definitions of cert-manager, Argo CD, Crossplane and others, more than 5 MB of them, on three clusters. */

const MEMBERS = ["shanghai-1", "singapore-1", "frankfurt-1"];
const CRDS = collectionPath("CustomResourceDefinition");
const MINUTES = 60_000;

type Crd = KubeObject & { status?: { conditions?: Condition[] } };
type Binding = KubeObject & { spec: { resource: { name: string } }; status?: FederatedStatus };

const published = await publishedCrds();
const isPublished = ({ metadata }: KubeObject): boolean => published.some((crd) => crd.metadata.name === metadata.name);
const nameOf = ({ metadata }: KubeObject): string => metadata.name;
/** Those that leave in the end. */
const isOfProject = (crd: KubeObject): boolean => nameOf(crd).endsWith(".cert-manager.io");

const federation = useFederation({
  members: MEMBERS.map((name, index) => ({ name, region: `region-${index}`, controllerManager: false })),
  hub: { controllerManager: false },
  // Whether objects of a definition exist has to be seen before the definition may be removed.
  joinArgs: ["--kinds", ["CustomResourceDefinition", ...published.filter(isOfProject).map(nameOf)].join(",")],
});

/** By name, with the version that each object has. */
async function versionsOn(member: string): Promise<Record<string, string | undefined>> {
  const found = await federation.memberApi(member).list<Crd>(CRDS);
  return Object.fromEntries(
    found.filter(isPublished).map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const),
  );
}

async function bindings(): Promise<Binding[]> {
  const found = await federation.api.list<Binding>(collectionPath("ClusterResourceBinding"));
  return found.filter(({ spec }) => published.some((crd) => crd.metadata.name === spec.resource.name));
}

test("five megabytes of published definitions are established on three clusters, as they are on the hub", async () => {
  const size = published.reduce((sum, crd) => sum + JSON.stringify(crd).length, 0);
  expect(size).toBeGreaterThan(5_000_000);
  expect(PUBLISHED.length).toBeGreaterThanOrEqual(3);
  await federation.apply(
    clusterPlacement("definitions").selects({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
    }),
  );
  for (const crd of published) await federation.api.apply(`${CRDS}/${crd.metadata.name}`, crd, "a-person");
  await eventually(
    async () => {
      // One reading: what has no status yet must not count as settled.
      const found = await bindings();
      const unsettled = found.flatMap(({ spec, status }) =>
        (status?.clusters ?? [])
          .filter(
            (entry: ClusterStatusEntry) => entry.state !== "Available" || entry.desiredHash !== entry.observedHash,
          )
          .map(({ name, state, reason, message }) => [spec.resource.name, name, state, reason, message]),
      );
      expect(unsettled).toEqual([]);
      expect(found.map(({ status }) => status?.clusters?.length)).toEqual(published.map(() => 3));
    },
    { timeout: 5 * MINUTES },
  );
  for (const member of MEMBERS) {
    const there = (await federation.memberApi(member).list<Crd>(CRDS)).filter(isPublished);
    expect(there.map((crd) => conditionOf(crd, "Established")?.status)).toEqual(published.map(() => "True"));
    for (const crd of there) {
      const hub = await federation.api.get<Crd>(`${CRDS}/${crd.metadata.name}`);
      expect(crd["spec"], `${crd.metadata.name} on ${member}`).toEqual(hub["spec"]);
    }
  }
});

test("nobody writes them for two minutes, on a member or on the hub", async () => {
  const state = async () => ({
    members: await Promise.all(MEMBERS.map(versionsOn)),
    bindings: (await bindings()).map(({ metadata }) => metadata.resourceVersion),
  });
  const before = await state();
  await throughout(2 * MINUTES, async () => expect(await state()).toEqual(before), 10_000);
});

test("those of one project leave every cluster with the hub's, and the others stay", async () => {
  const leaving = published.filter(isOfProject);
  expect(leaving.length).toBeGreaterThan(3);
  for (const { metadata } of leaving) await federation.api.delete(`${CRDS}/${metadata.name}`);
  const left = published.filter((crd) => !isOfProject(crd)).map(({ metadata }) => metadata.name);
  await eventually(
    async () => {
      for (const member of MEMBERS) expect(Object.keys(await versionsOn(member)).toSorted()).toEqual(left.toSorted());
      const onHub = (await federation.api.list<Crd>(CRDS)).filter(isPublished);
      expect(onHub.map(({ metadata }) => metadata.name).toSorted()).toEqual(left.toSorted());
    },
    { timeout: 2 * MINUTES },
  );
});
