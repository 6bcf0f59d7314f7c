import { describe, expect, test } from "vitest";
import { MANAGED_BY_LABEL, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { ApiError, type Discovery, type ResourceType, TransportError } from "../../runtime/index.ts";
import { NamespaceLabels } from "./carriedLabels.ts";
import { inspectNamespace, MemberNamespaces } from "./namespaces.ts";
import { CLUSTER, CONFIG_REF } from "../testing/builders.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const { signal } = new AbortController();
const CREATED_FOR = "federation.paas.cmft.com/created-for";
const FORBIDDEN = new ApiError(403, "Forbidden", "no");

function namespacesOn(answer: Answer = () => ({})) {
  const client = new ScriptedClient(answer);
  const labels = new NamespaceLabels();
  const namespaces = new MemberNamespaces({ client: client.client, cluster: CLUSTER }, "hub", labels);
  return { client, calls: client.calls, labels, namespaces };
}

describe("a missing namespace", () => {
  test("is created with our label, its name as our mark, and the hub's Pod Security labels", async () => {
    const { namespaces, calls, labels } = namespacesOn();
    await namespaces.ensure("team", signal);
    labels.take({
      verb: "Apply",
      ref: { ...CONFIG_REF, namespace: "bank" },
      namespaceLabels: { enforce: "restricted" },
    });
    await namespaces.ensure("bank", signal);
    const common = { verb: "create", what: "namespaces", namespace: undefined, options: {} };
    const body = (metadata: object) => ({ apiVersion: "v1", kind: "Namespace", metadata });
    const podSecurity = { [POD_SECURITY_ANNOTATION]: '{"enforce":"restricted"}' };
    const ours = { [MANAGED_BY_LABEL]: "hub" };
    expect(calls).toEqual([
      { ...common, name: "team", body: body({ name: "team", labels: ours, annotations: { [CREATED_FOR]: "team" } }) },
      {
        ...common,
        name: "bank",
        body: body({
          name: "bank",
          labels: { enforce: "restricted", ...ours },
          annotations: { ...podSecurity, [CREATED_FOR]: "bank" },
        }),
      },
    ]);
  });

  test("is created by one request for all concurrent callers", async () => {
    const made = Promise.withResolvers<unknown>();
    const { namespaces, calls } = namespacesOn(() => made.promise);
    const pending = ["team", "team", "other"].map((name) => namespaces.ensure(name, signal));
    expect(calls.map(({ name }) => name)).toEqual(["team", "other"]);
    made.resolve({});
    await Promise.all(pending);
    await namespaces.ensure("team", signal);
    expect(calls).toHaveLength(3);
  });

  test("may exist by then; other errors are thrown", async () => {
    await namespacesOn(() => new ApiError(409, "AlreadyExists", "there")).namespaces.ensure("team", signal);
    await expect(namespacesOn(() => FORBIDDEN).namespaces.ensure("team", signal)).rejects.toBe(FORBIDDEN);
  });
});

describe("the removal of a namespace", () => {
  const version = { name: "team", uid: "u1", resourceVersion: "7" };

  test.each([
    ["an answer", {}, true],
    ["a namespace that is gone", new ApiError(404, "NotFound", "gone"), true],
    ["a namespace that has changed", new ApiError(409, "Conflict", "changed"), false],
  ])("names UID and resourceVersion, and may be answered by %s", async (_, answer, want) => {
    const { namespaces, calls } = namespacesOn(() => answer);
    expect(await namespaces.remove(version, signal)).toBe(want);
    expect(calls).toMatchObject([{ verb: "delete", name: "team", options: { uid: "u1", resourceVersion: "7" } }]);
  });

  test("throws other errors", async () => {
    await expect(namespacesOn(() => FORBIDDEN).namespaces.remove(version, signal)).rejects.toBe(FORBIDDEN);
  });

  test.each([{}, FORBIDDEN])("delays writes into this namespace until it has ended: %#", async (answer) => {
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

describe("the inspection of a namespace", () => {
  const kind = (name: string, plural: string, more: Partial<ResourceType> = {}): ResourceType => ({
    ...{ group: "", version: "v1", kind: name, plural, namespaced: true, verbs: ["get", "list"] },
    ...more,
  });
  const CONFIGMAPS = kind("ConfigMap", "configmaps");
  const ACCOUNTS = kind("ServiceAccount", "serviceaccounts");
  const SLICES = kind("EndpointSlice", "endpointslices", { group: "discovery.k8s.io" });
  const DEFAULTS = [CONFIGMAPS, ACCOUNTS, kind("Event", "events"), kind("Endpoints", "endpoints"), SLICES];

  /** `inside`: names of the objects by plural, or the error of their list. */
  function inspecting(inside: Record<string, string[] | Error>, types = DEFAULTS, unavailable: string[] = []) {
    const client = new ScriptedClient(({ what }) => {
      const found = inside[what] ?? [];
      return found instanceof Error ? found : { items: found.map((name) => ({ metadata: { name } })) };
    });
    const asked: string[] = [];
    const discovery = {
      invalidate: () => void asked.push("invalidate"),
      unavailable: async () => (asked.push("unavailable"), new Set(unavailable)),
      list: async () => types,
    } as unknown as Discovery;
    const inspect = (until = signal) => inspectNamespace(client.client, discovery, "team", until);
    return { inspect, client, asked };
  }

  test("discovers the kinds anew and lists a few objects of each", async () => {
    const { inspect, client, asked } = inspecting({}, [CONFIGMAPS]);
    expect(await inspect()).toEqual({ kind: "Empty" });
    expect(asked).toEqual(["invalidate", "unavailable"]);
    expect(client.calls).toEqual([
      { verb: "list", what: "configmaps", options: { namespace: "team", metadataOnly: true, limit: 5 } },
    ]);
  });

  const occupied = (by: string) => ({ kind: "Occupied", by });
  const unknown = (message: string) => ({ kind: "Unknown", message });
  const standard = { configmaps: ["kube-root-ca.crt"], serviceaccounts: ["default"] };
  test.each<[string, Record<string, string[] | Error>, object]>([
    [
      "objects of every namespace",
      { ...standard, events: ["a"], endpoints: ["b"], endpointslices: ["c"] },
      { kind: "Empty" },
    ],
    ["another object", { configmaps: ["kube-root-ca.crt", "mine"] }, occupied("ConfigMap mine")],
    ["another account", { serviceaccounts: ["kube-root-ca.crt"] }, occupied("ServiceAccount kube-root-ca.crt")],
    // The kind's version may be gone while its objects exist in another version.
    [
      "a kind that is gone",
      { configmaps: new ApiError(404, "NotFound", "gone") },
      unknown("configmaps cannot be listed there (404 NotFound)"),
    ],
    ["a forbidden kind", { configmaps: FORBIDDEN }, unknown("configmaps may not be listed there")],
    [
      "a failing kind, without words that differ each time",
      { configmaps: new ApiError(500, "InternalError", "at 10:02:33") },
      unknown("configmaps cannot be listed there (500 InternalError)"),
    ],
    ["silence", { configmaps: new TransportError("Timeout", "late") }, unknown("configmaps cannot be listed there")],
    [
      "an object and a forbidden kind",
      { configmaps: FORBIDDEN, serviceaccounts: ["mine"] },
      occupied("ServiceAccount mine"),
    ],
  ])("judges %s", async (_, inside, want) => expect(await inspecting(inside).inspect()).toEqual(want));

  test.each([
    [kind("Event", "events", { group: "eventing.example.com" }), "mine"],
    [{ ...CONFIGMAPS, group: "example.com" }, "kube-root-ca.crt"],
  ])("counts objects of a custom kind with the name of a Kubernetes kind: %#", async (type, name) => {
    expect(await inspecting({ [type.plural]: [name] }, [type]).inspect()).toEqual(occupied(`${type.kind} ${name}`));
  });

  test("lists nothing while a part of the API is unavailable", async () => {
    const { inspect, client } = inspecting({}, DEFAULTS, ["metrics.k8s.io/v1", "custom/v1"]);
    expect(await inspect()).toEqual(unknown("metrics.k8s.io/v1, custom/v1 cannot be asked now"));
    expect(client.calls).toEqual([]);
  });

  test("lists each namespaced kind that can be listed once, in one of its versions", async () => {
    const deployments = kind("Deployment", "deployments", { group: "apps" });
    const { inspect, client } = inspecting({}, [
      ...[deployments, { ...deployments, version: "v1beta1" }, { ...deployments, group: "extensions" }],
      kind("Node", "nodes", { namespaced: false }),
      kind("TokenReview", "tokenreviews", { verbs: ["create"] }),
      { group: "", version: "v1", kind: "Odd", plural: "odds", namespaced: true },
    ]);
    await inspect();
    expect(client.lines).toEqual(["list deployments", "list deployments"]);
  });

  test("throws the reason when the session ends meanwhile", async () => {
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
