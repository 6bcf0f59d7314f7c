import { describe, expect, test } from "vitest";
import {
  ALLOW_CRD_REMOVAL_ANNOTATION,
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  type Condition,
  type FederatedStatus,
} from "../../../src/apis/index.ts";
import {
  CLUSTERROLES,
  CRDS,
  DEPLOYMENTS,
  MANIFESTBUNDLES,
  NAMESPACES,
  PLACEMENTS,
  type ResourceType,
  SERVICEACCOUNTS,
} from "../../../src/runtime/index.ts";
import { bundle, clusterRole, definition, operator, placement, serviceAccount, widget } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const SHANGHAI = "shanghai";
const WIDGETS: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const SELECTS = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };

/** With a Placement for bundles; the namespace allows these kinds. */
async function federationOf(allowed: string, ...names: string[]): Promise<TestFederation> {
  const federation = await TestFederation.start(...names);
  await allow(federation, allowed);
  await federation.apply(PLACEMENTS, placement("bundles").selects(SELECTS));
  return federation;
}

async function allow(federation: TestFederation, kinds: string): Promise<void> {
  await federation.hub.apply(NAMESPACES, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "default", annotations: { [ALLOWED_BUNDLE_KINDS_ANNOTATION]: kinds } },
  });
}

function statusOf(federation: TestFederation, name = "operator"): FederatedStatus | undefined {
  return federation.hub.find(MANIFESTBUNDLES, "default", name)?.["status"] as FederatedStatus | undefined;
}

function entryOf(federation: TestFederation, cluster = SHANGHAI) {
  return statusOf(federation)?.clusters?.find(({ name }) => name === cluster);
}

function isReady(federation: TestFederation, name = "operator"): boolean {
  const ready = statusOf(federation, name)?.conditions?.find(({ type }) => type === "Ready");
  const generation = federation.hub.find(MANIFESTBUNDLES, "default", name)?.metadata.generation;
  return ready?.status === "True" && ready.observedGeneration === generation;
}

/** Also where the kind is not served, or not yet. */
function hasWidget(federation: TestFederation, name: string, namespace = "default"): boolean {
  const { server } = federation.member(SHANGHAI);
  const crd = server.find(CRDS, undefined, "widgets.example.com") as
    | { status?: { conditions?: Condition[] } }
    | undefined;
  const isServed = crd?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
  return isServed === true && server.has(WIDGETS, namespace, name);
}

const OPERATOR = [
  widget("first"),
  operator("operator"),
  clusterRole("operator"),
  serviceAccount("operator"),
  definition(),
];

describe("a bundle", () => {
  test("of a service account and a Deployment in its own namespace needs nobody's leave", async () => {
    await using federation = await federationOf("", SHANGHAI);
    await federation.apply(MANIFESTBUNDLES, bundle("operator", [serviceAccount("operator"), operator("operator")]));
    await federation.until(() => isReady(federation));
    expect(entryOf(federation)).toMatchObject({ state: "Available", replicas: { desired: 1, ready: 1 } });
    expect(statusOf(federation)?.kinds).toEqual(["Deployment.apps", "ServiceAccount"]);
    await federation.apply(MANIFESTBUNDLES, bundle("operator", []));
    await federation.until(() => isReady(federation));
    expect(entryOf(federation)).toMatchObject({ state: "Available", message: "the bundle has no manifests" });
    expect(federation.member(SHANGHAI).server.has(DEPLOYMENTS, "default", "operator")).toBe(false);
  });

  test("that brings more than a tenant may is refused, and says what an administrator can do", async () => {
    await using federation = await federationOf("", SHANGHAI);
    await federation.apply(MANIFESTBUNDLES, bundle("operator", OPERATOR));
    await federation.until(() => entryOf(federation)?.state === "Failed");
    expect(entryOf(federation)).toMatchObject({ reason: "NotAllowed" });
    expect(entryOf(federation)?.message).toContain("allowed-bundle-kinds");
    expect(federation.member(SHANGHAI).server.has(DEPLOYMENTS, "default", "operator")).toBe(false);

    await allow(federation, "ClusterRole,CustomResourceDefinition");
    await federation.until(() => hasWidget(federation, "first"));
  });
});

describe("a custom object whose definition comes from elsewhere", () => {
  test("waits for the definition and says so, while the rest of its bundle goes on", async () => {
    await using federation = await federationOf("", SHANGHAI);
    const { server } = federation.member(SHANGHAI);
    await federation.apply(
      MANIFESTBUNDLES,
      bundle(
        "operator",
        OPERATOR.filter(({ kind }) => !NEEDS_LEAVE.has(kind)),
      ),
    );
    await federation.until(() => server.has(DEPLOYMENTS, "default", "operator"));
    await federation.until(() => entryOf(federation)?.reason === "KindNotServed");
    expect(entryOf(federation)).toMatchObject({
      message: "Widget first: the member does not serve Widget of example.com/v1 yet; it waits for the definition",
    });
    await server.create(CRDS, definition());
    await federation.until(() => hasWidget(federation, "first"));
  });

  test("that is cluster-scoped on the member is not written there in a tenant's name", async () => {
    await using federation = await federationOf("", SHANGHAI);
    const { server } = federation.member(SHANGHAI);
    await server.create(CRDS, definition("widgets", "Widget", "Cluster"));
    await federation.apply(MANIFESTBUNDLES, bundle("operator", [widget("first")]));
    await federation.until(() => entryOf(federation)?.state === "Failed");
    expect(entryOf(federation)).toMatchObject({ reason: "WrongScope" });
    expect(server.list({ ...WIDGETS, namespaced: false })).toEqual([]);
  });
});

describe("a bundle whose policy orphans", () => {
  test("leaves what runs, without marks, and a definition with its objects", async () => {
    await using federation = await federationOf("*", SHANGHAI);
    const { server } = federation.member(SHANGHAI);
    await federation.apply(PLACEMENTS, placement("bundles").selects(SELECTS).deletionPolicy("Orphan"));
    await federation.apply(MANIFESTBUNDLES, bundle("operator", OPERATOR));
    await federation.until(() => hasWidget(federation, "first"));
    await federation.hub.delete(MANIFESTBUNDLES, "default", "operator");
    await federation.until(() => !federation.hub.has(MANIFESTBUNDLES, "default", "operator"));
    expect(hasWidget(federation, "first")).toBe(true);
    const left = [server.get(CRDS, undefined, "widgets.example.com"), server.get(DEPLOYMENTS, "default", "operator")];
    expect(left.filter(({ metadata }) => JSON.stringify(metadata.labels ?? {}).includes("paas.cmft.com"))).toEqual([]);
  });
});

describe("an account on the member that a bundle's pods would run as", () => {
  test("is no bundle's: the pods wait, since the account is somebody else's", async () => {
    await using federation = await federationOf("", SHANGHAI);
    const { server } = federation.member(SHANGHAI);
    await server.create(SERVICEACCOUNTS, {
      ...serviceAccount("operator"),
      metadata: { name: "operator", namespace: "default" },
    });
    await federation.apply(MANIFESTBUNDLES, bundle("operator", [serviceAccount("operator"), operator("operator")]));
    await federation.until(() => entryOf(federation)?.state === "Failed");
    expect(entryOf(federation)).toMatchObject({ reason: "AlreadyExists" });
    await federation.pass(10_000);
    expect(server.has(DEPLOYMENTS, "default", "operator")).toBe(false);
  });
});

const NEEDS_LEAVE = new Set(["CustomResourceDefinition", "ClusterRole"]);

describe("what leaves a bundle", () => {
  test("keeps a definition of which somebody has objects, until a person agrees", async () => {
    await using federation = await federationOf("*", SHANGHAI);
    const { server } = federation.member(SHANGHAI);
    await federation.apply(MANIFESTBUNDLES, bundle("operator", OPERATOR.slice(1)));
    await federation.until(() => isReady(federation));
    await server.create(WIDGETS, widget("precious", { namespace: "default" }));
    const rest = [serviceAccount("operator"), operator("operator")];
    await federation.apply(MANIFESTBUNDLES, bundle("operator", rest));
    await federation.until(() => entryOf(federation)?.state === "Held");
    expect(entryOf(federation)).toMatchObject({ reason: "CustomObjectsExist" });
    expect(entryOf(federation)?.message).toContain("Widget default/precious");
    await federation.pass(30_000);
    expect(server.has(WIDGETS, "default", "precious")).toBe(true);

    const annotations = { [ALLOW_CRD_REMOVAL_ANNOTATION]: "widgets.example.com" };
    await federation.apply(MANIFESTBUNDLES, bundle("operator", rest, { annotations }));
    await federation.until(() => !server.has(CRDS, undefined, "widgets.example.com"));
    await federation.until(() => isReady(federation));
  });
});

describe("a bundle that is deleted", () => {
  test("takes custom objects first, which its operator has to finish, and definitions last", async () => {
    await using federation = await federationOf("*", SHANGHAI);
    const { server } = federation.member(SHANGHAI);
    await federation.apply(MANIFESTBUNDLES, bundle("operator", OPERATOR));
    await federation.until(() => hasWidget(federation, "first"));
    const live = server.get(WIDGETS, "default", "first");
    await server.apply(WIDGETS, {
      apiVersion: live.apiVersion,
      kind: live.kind,
      metadata: { name: "first", namespace: "default", finalizers: ["example.com/finish"] },
    });
    await federation.hub.delete(MANIFESTBUNDLES, "default", "operator");
    await federation.until(() => server.get(WIDGETS, "default", "first").metadata.deletionTimestamp !== undefined);
    await federation.pass(5_000);
    expect(server.has(DEPLOYMENTS, "default", "operator")).toBe(true);
    expect(server.has(CRDS, undefined, "widgets.example.com")).toBe(true);

    await server.apply(WIDGETS, {
      apiVersion: live.apiVersion,
      kind: live.kind,
      metadata: { name: "first", namespace: "default" },
    });
    await federation.until(() => !federation.hub.has(MANIFESTBUNDLES, "default", "operator"));
    expect(server.has(CRDS, undefined, "widgets.example.com")).toBe(false);
    expect(server.has(CLUSTERROLES, undefined, "operator")).toBe(false);
  });
});
