import { describe, expect, test } from "vitest";
import { MANAGED_BY_LABEL, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { ApiError, type Discovery, type ResourceType, TransportError } from "../../runtime/index.ts";
import { NamespaceLabels } from "./carriedLabels.ts";
import { inspectNamespace, isNamespace, MemberNamespaces, wasCreatedByMeridian } from "./namespaces.ts";
import { CONFIG_REF } from "../testing/builders.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const signal = new AbortController().signal;
const CREATED_FOR = "federation.paas.cmft.com/created-for";
const FORBIDDEN = new ApiError(403, "Forbidden", "no");

function namespacesOn(answer: Answer = () => ({}), labels?: NamespaceLabels) {
  const client = new ScriptedClient(answer);
  return {
    client,
    calls: client.calls,
    namespaces: new MemberNamespaces({ client: client.client, cluster: "shanghai-1" }, "hub", labels),
  };
}

describe("a namespace that a member lacks", () => {
  test("is made with our label, and with its own name as the mark of who made it", async () => {
    const { namespaces, calls } = namespacesOn();
    await namespaces.ensure("team", signal);
    expect(calls).toEqual([
      {
        verb: "create",
        what: "namespaces",
        namespace: undefined,
        name: "team",
        body: {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "team", labels: { [MANAGED_BY_LABEL]: "hub" }, annotations: { [CREATED_FOR]: "team" } },
        },
        options: {},
      },
    ]);
  });

  test("gets the Pod Security labels of the hub's", async () => {
    const labels = new NamespaceLabels();
    labels.take({
      verb: "Apply",
      ref: { ...CONFIG_REF, namespace: "team" },
      namespaceLabels: { enforce: "restricted" },
    });
    const { namespaces, client } = namespacesOn(undefined, labels);
    await namespaces.ensure("team", signal);
    expect(client.sent(0).metadata).toMatchObject({
      labels: { enforce: "restricted", [MANAGED_BY_LABEL]: "hub" },
      annotations: { [POD_SECURITY_ANNOTATION]: '{"enforce":"restricted"}', [CREATED_FOR]: "team" },
    });
  });

  test("is one request for all who wish for it at a time, and another one later", async () => {
    const made = Promise.withResolvers<unknown>();
    const { namespaces, calls } = namespacesOn(() => made.promise);
    const wishes = [namespaces.ensure("team", signal), namespaces.ensure("team", signal)];
    const other = namespaces.ensure("other", signal);
    expect(calls.map(({ name }) => name)).toEqual(["team", "other"]);
    made.resolve({});
    await Promise.all([...wishes, other]);
    await namespaces.ensure("team", signal);
    expect(calls).toHaveLength(3);
  });

  test("may be there by then; whatever else is refused is passed on", async () => {
    await namespacesOn(() => new ApiError(409, "AlreadyExists", "there")).namespaces.ensure("team", signal);
    await expect(namespacesOn(() => FORBIDDEN).namespaces.ensure("team", signal)).rejects.toBe(FORBIDDEN);
  });
});

describe("the removal of a namespace", () => {
  const version = { name: "team", uid: "u1", resourceVersion: "7" };

  test("names the version of the life that was seen", async () => {
    const { namespaces, calls } = namespacesOn();
    expect(await namespaces.remove(version, signal)).toBe(true);
    expect(calls).toEqual([
      {
        verb: "delete",
        what: "namespaces",
        namespace: undefined,
        name: "team",
        options: { uid: "u1", resourceVersion: "7" },
      },
    ]);
  });

  test.each([
    { name: "is done when it is gone", error: new ApiError(404, "NotFound", "gone"), want: true },
    { name: "is not done when it has changed", error: new ApiError(409, "Conflict", "changed"), want: false },
  ])("$name", async ({ error, want }) => {
    expect(await namespacesOn(() => error).namespaces.remove(version, signal)).toBe(want);
  });

  test("passes on whatever else is refused", async () => {
    await expect(namespacesOn(() => FORBIDDEN).namespaces.remove(version, signal)).rejects.toBe(FORBIDDEN);
  });

  test.each([
    { name: "has succeeded", answer: {} },
    { name: "was refused", answer: FORBIDDEN },
  ])("is waited for by writes into that namespace, and by no others, until it $name", async ({ answer }) => {
    const deleted = Promise.withResolvers<unknown>();
    const { namespaces } = namespacesOn(() => deleted.promise);
    const removal = namespaces.remove(version, signal).catch(() => "refused");
    let waited = false;
    const waiting = namespaces.removed("team").then(() => (waited = true));
    await namespaces.removed("other");
    expect(waited).toBe(false);
    deleted.resolve(answer);
    await removal;
    await waiting;
    await namespaces.removed("team");
  });
});

describe("whether a namespace is empty", () => {
  const kind = (name: string, plural: string, more: Partial<ResourceType> = {}): ResourceType => ({
    group: "",
    version: "v1",
    kind: name,
    plural,
    namespaced: true,
    verbs: ["get", "list"],
    ...more,
  });
  const CONFIGMAPS = kind("ConfigMap", "configmaps");
  const DEFAULTS = [
    CONFIGMAPS,
    kind("ServiceAccount", "serviceaccounts"),
    kind("Event", "events"),
    kind("Endpoints", "endpoints"),
    kind("EndpointSlice", "endpointslices", { group: "discovery.k8s.io" }),
  ];

  /** Names of the objects inside, by plural, or why they cannot be listed. */
  function inspecting(inside: Record<string, string[] | Error>, types = DEFAULTS, away: string[] = []) {
    const client = new ScriptedClient(({ what }) => {
      const found = inside[what] ?? [];
      return found instanceof Error ? found : { items: found.map((name) => ({ metadata: { name } })) };
    });
    const asked: string[] = [];
    const discovery = {
      invalidate: () => void asked.push("invalidate"),
      unavailable: async () => (asked.push("unavailable"), new Set(away)),
      list: async () => types,
    } as unknown as Discovery;
    const inspect = (until = signal) => inspectNamespace(client.client, discovery, "team", until);
    return { inspect, client, asked };
  }

  test("is asked of every kind, which the server lists anew, with few objects each", async () => {
    const { inspect, client, asked } = inspecting({}, [CONFIGMAPS]);
    expect(await inspect()).toEqual({ kind: "Empty" });
    expect(asked).toEqual(["invalidate", "unavailable"]);
    expect(client.calls).toEqual([
      { verb: "list", what: "configmaps", options: { namespace: "team", metadataOnly: true, limit: 5 } },
    ]);
  });

  test.each<{ name: string; inside: Record<string, string[] | Error>; want: object }>([
    {
      name: "what every namespace holds by itself does not count",
      inside: {
        configmaps: ["kube-root-ca.crt"],
        serviceaccounts: ["default"],
        events: ["a"],
        endpoints: ["b"],
        endpointslices: ["c"],
      },
      want: { kind: "Empty" },
    },
    {
      name: "anything else does",
      inside: { configmaps: ["kube-root-ca.crt", "mine"] },
      want: { kind: "Occupied", by: "ConfigMap mine" },
    },
    {
      name: "another service account does",
      inside: { serviceaccounts: ["kube-root-ca.crt"] },
      want: { kind: "Occupied", by: "ServiceAccount kube-root-ca.crt" },
    },
    {
      // A version that is not served any more answers so, and the objects are there in another one.
      name: "a kind that is not served any more since it was discovered leaves it unknown",
      inside: { configmaps: new ApiError(404, "NotFound", "gone") },
      want: { kind: "Unknown", message: "configmaps cannot be listed there (404 NotFound)" },
    },
    {
      name: "a kind that may not be listed leaves it unknown",
      inside: { configmaps: FORBIDDEN },
      want: { kind: "Unknown", message: "configmaps may not be listed there" },
    },
    {
      name: "a kind that the server cannot list leaves it unknown, without words that differ each time",
      inside: { configmaps: new ApiError(500, "InternalError", "at 10:02:33") },
      want: { kind: "Unknown", message: "configmaps cannot be listed there (500 InternalError)" },
    },
    {
      name: "no answer leaves it unknown",
      inside: { configmaps: new TransportError("Timeout", "timed out after 15 s") },
      want: { kind: "Unknown", message: "configmaps cannot be listed there" },
    },
    {
      name: "what is certainly inside counts more than what is not known",
      inside: { configmaps: FORBIDDEN, serviceaccounts: ["mine"] },
      want: { kind: "Occupied", by: "ServiceAccount mine" },
    },
  ])("$name", async ({ inside, want }) => expect(await inspecting(inside).inspect()).toEqual(want));

  test.each([
    kind("Event", "events", { group: "eventing.example.com" }),
    kind("Endpoints", "endpoints", { group: "gateway.example.com" }),
    kind("EndpointSlice", "endpointslices", { group: "gateway.example.com" }),
  ])("counts $kind.$group, which shares nothing but its name with the kind of Kubernetes", async (type) => {
    const { inspect } = inspecting({ [type.plural]: ["mine"] }, [type]);
    expect(await inspect()).toEqual({ kind: "Occupied", by: `${type.kind} mine` });
  });

  test.each([
    kind("ConfigMap", "configmaps", { group: "example.com" }),
    kind("ServiceAccount", "serviceaccounts", { group: "example.com" }),
  ])("counts $kind.$group under the name of what every namespace holds", async (type) => {
    const name = type.kind === "ConfigMap" ? "kube-root-ca.crt" : "default";
    const { inspect } = inspecting({ [type.plural]: [name] }, [type]);
    expect(await inspect()).toMatchObject({ kind: "Occupied" });
  });

  test("is unknown while a part of the API is away, and nothing is listed", async () => {
    const { inspect, client } = inspecting({}, DEFAULTS, ["metrics.k8s.io/v1", "custom/v1"]);
    expect(await inspect()).toEqual({
      kind: "Unknown",
      message: "metrics.k8s.io/v1, custom/v1 cannot be asked now",
    });
    expect(client.calls).toEqual([]);
  });

  test("is asked once of a kind that is served in several versions, and not of kinds that say nothing about it", async () => {
    const { inspect, client } = inspecting({}, [
      kind("Deployment", "deployments", { group: "apps" }),
      kind("Deployment", "deployments", { group: "apps", version: "v1beta1" }),
      kind("Deployment", "deployments", { group: "extensions" }),
      kind("Node", "nodes", { namespaced: false }),
      kind("TokenReview", "tokenreviews", { verbs: ["create"] }),
      kind("Binding", "bindings", { verbs: [] }),
      { group: "", version: "v1", kind: "Odd", plural: "odds", namespaced: true },
    ]);
    await inspect();
    expect(client.lines).toEqual(["list deployments", "list deployments"]);
  });

  test("is no answer when the session ends meanwhile", async () => {
    const end = new AbortController();
    const { inspect, client } = inspecting({}, [CONFIGMAPS]);
    const over = new Error("over");
    client.answer = () => {
      end.abort(over);
      return new TransportError("Aborted", "aborted");
    };
    await expect(inspect(end.signal)).rejects.toBe(over);
  });
});

describe("who made a namespace", () => {
  test.each([
    { name: "nobody says", annotations: {}, managers: [], want: false },
    { name: "Meridian, under its own name", annotations: { [CREATED_FOR]: "team" }, managers: [], want: true },
    { name: "somebody, by copying another one", annotations: { [CREATED_FOR]: "other" }, managers: [], want: false },
    {
      name: "an earlier version",
      annotations: { [CREATED_FOR]: "federated-objects" },
      managers: ["kubectl", "meridian"],
      want: true,
    },
    {
      name: "somebody, by copying one of an earlier version",
      annotations: { [CREATED_FOR]: "federated-objects" },
      managers: ["kubectl"],
      want: false,
    },
  ])("$name", ({ annotations, managers, want }) => {
    const managedFields = managers.map((manager) => ({ manager, operation: "Update" as const }));
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", annotations, managedFields } };
    expect(wasCreatedByMeridian(namespace)).toBe(want);
    if (managers.length > 0) return;
    const { managedFields: _, ...metadata } = namespace.metadata;
    expect(wasCreatedByMeridian({ ...namespace, metadata })).toBe(want);
  });

  test.each([
    { apiVersion: "v1", kind: "Namespace", want: true },
    { apiVersion: "v1", kind: "ConfigMap", want: false },
    { apiVersion: "example.com/v1", kind: "Namespace", want: false },
  ])("$apiVersion $kind is a namespace: $want", ({ want, ...type }) => {
    expect(isNamespace({ ...type, name: "team" })).toBe(want);
  });
});
