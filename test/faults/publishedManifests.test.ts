import { beforeAll, describe, expect, test } from "vitest";
import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  ALLOWED_BUNDLE_NAMESPACES_ANNOTATION,
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  FEDERATION_API_VERSION,
  type KubeObject,
} from "../../src/apis/index.ts";
import { clusterPlacement } from "../builders/index.ts";
import { useFederation } from "../e2e/federation.ts";
import { pathOf } from "../e2e/objects.ts";
import { comparable, differences } from "../e2e/plainComparison.ts";
import { writtenPath } from "../e2e/sentObjects.ts";
import { type Api, eventually, kubectl, meridianOk } from "../envtest/index.ts";
import { PROJECTS, published, type Project, type Published } from "./publishedManifests.ts";

/**
 * What twelve versions of six projects become on members, as objects of the hub and in a bundle, beside a cluster on which plain kubectl writes
 * the same files: old version, new version, deleted.
 */

const PLACED = "placed-1";
const BUNDLED = "bundled-1";
const PLAIN = "plain-1";
const MINUTES = 60_000;

const federation = useFederation({
  members: [PLACED, BUNDLED, PLAIN].map((name) => ({ name, region: name })),
  unjoined: [PLACED, BUNDLED, PLAIN],
});

beforeAll(async () => {
  // This is about objects, not about rights.
  for (const name of [PLACED, BUNDLED]) {
    await federation.joinByHand(name, federation.member(name).plane.kubeconfig);
    await federation.untilMemberIs(name, "True");
  }
});

const filesOf = ({ files }: Published): string[] => files.flatMap((file) => ["-f", file]);
const apply = (namespace: string) => ["apply", "--server-side", "--force-conflicts", "-n", namespace];

async function contentOf(api: Api, object: KubeObject): Promise<unknown> {
  const found = await api.find(writtenPath(object));
  return found && comparable(found);
}

/** For each object of the files where the member has another one than the plain cluster. */
async function expectSame(member: string, objects: readonly KubeObject[]): Promise<void> {
  const plain = federation.member(PLAIN).plane.api;
  // The Namespace of a member is Meridian's own.
  const compared = objects.filter(({ kind }) => kind !== "Namespace");
  const wrong = compared.map(async (object) => {
    const [got, want] = await Promise.all([contentOf(federation.memberApi(member), object), contentOf(plain, object)]);
    expect(want, writtenPath(object)).toBeDefined();
    return differences(got, want).map((path) => `${object.kind} ${object.metadata.name}${path}`);
  });
  expect((await Promise.all(wrong)).flat()).toEqual([]);
}

async function expectGone(api: Api, objects: readonly KubeObject[]): Promise<void> {
  const found = await Promise.all(
    objects.map(async (object) => ((await api.find(writtenPath(object))) === undefined ? [] : [writtenPath(object)])),
  );
  expect(found.flat()).toEqual([]);
}

/** By name, as what belongs to a cluster has to be selected, in policies of as many selectors as one may have. */
async function place(name: string, objects: readonly KubeObject[]): Promise<void> {
  const placed = objects.filter(({ kind }) => kind !== "Namespace");
  for (let at = 0; at < placed.length; at += 60) {
    const selectors = placed.slice(at, at + 60).map(({ apiVersion, kind, metadata: { name: object, namespace } }) => ({
      apiVersion,
      kind,
      name: object,
      ...(namespace === undefined ? {} : { namespace }),
    }));
    const { metadata, ...policy } = clusterPlacement(`${name}-${at}`).onClusters(PLACED).object();
    await federation.apply({
      ...policy,
      metadata,
      spec: { ...(policy["spec"] as object), resourceSelectors: selectors, dependencies: { mode: "None" } },
    } as KubeObject);
  }
}

/** A namespace of the hub in which its administrators allow what operators are made of. */
async function allowing(name: string): Promise<void> {
  const annotations = {
    [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "*",
    [ALLOWED_BUNDLE_NAMESPACES_ANNOTATION]: "*",
    [ALLOWED_SERVICE_ACCOUNTS_ANNOTATION]: "*",
  };
  const labels = { "pod-security.kubernetes.io/enforce": "privileged" };
  await federation.apply({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, annotations, labels },
  } as KubeObject);
}

async function bundled({ name, namespace }: Project, version: Published): Promise<void> {
  const hubNamespace = `bundle-${name}`;
  await allowing(hubNamespace);
  const where = ["-n", hubNamespace, "--release-namespace", namespace];
  await meridianOk(federation.hub, ["bundle", "create", name, ...where, ...filesOf(version), "--apply"]);
  const bundle = { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle", name };
  await federation.apply(clusterPlacement(`bundle-${name}`).selects(bundle).onClusters(BUNDLED));
}

describe.each(PROJECTS)("$name, as its project publishes it,", (project) => {
  const { name, namespace } = project;
  let before: Published;
  let after: Published;
  const plain = () => federation.member(PLAIN).plane;

  beforeAll(async () => {
    [before, after] = [await published(project.old, namespace), await published(project.new, namespace)];
    await allowing(namespace);
    const isMade = before.objects.some(({ kind, metadata }) => kind === "Namespace" && metadata.name === namespace);
    if (namespace !== "default" && !isMade) await kubectl(plain(), ["create", "namespace", namespace]);
  });

  const same = async (version: Published): Promise<void> => {
    await eventually(() => expectSame(PLACED, version.objects), {
      timeout: 2 * MINUTES,
      interval: 500,
      message: "placed",
    });
    await eventually(() => expectSame(BUNDLED, version.objects), {
      timeout: 2 * MINUTES,
      interval: 500,
      message: "bundled",
    });
  };

  test("is on members what it is by plain kubectl", async () => {
    for (const cluster of [federation.hub, plain()]) await kubectl(cluster, [...apply(namespace), ...filesOf(before)]);
    await place(name, before.objects);
    await bundled(project, before);
    await same(before);
  });

  test("in its new version, too, without what left it", async () => {
    const left = before.objects.filter(
      (one) => !after.objects.some((other) => writtenPath(other) === writtenPath(one)),
    );
    for (const cluster of [federation.hub, plain()]) {
      await kubectl(cluster, [...apply(namespace), ...filesOf(after)]);
    }
    for (const object of left) await federation.api.delete(writtenPath(object));
    await place(name, after.objects);
    await bundled(project, after);
    await same(after);
    for (const member of [PLACED, BUNDLED])
      await eventually(() => expectGone(federation.memberApi(member), left), { timeout: MINUTES, message: member });
  });

  test("leaves nothing behind", async () => {
    const objects = after.objects.filter(({ kind }) => kind !== "Namespace");
    for (const object of objects) await federation.api.delete(writtenPath(object));
    await federation.api.delete(pathOf({ kind: "ManifestBundle", metadata: { name, namespace: `bundle-${name}` } }));
    for (const api of [federation.api, federation.memberApi(PLACED), federation.memberApi(BUNDLED)])
      await eventually(() => expectGone(api, objects), { timeout: 2 * MINUTES });
  });
});
