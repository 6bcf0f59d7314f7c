import { expect, test, vi } from "vitest";
import { conflict } from "../statusError.ts";
import type { KubeObject, LocalClient, WatchEvent } from "../types.ts";
import { startAggregation } from "./index.ts";
import { clusterRole } from "./testing/roles.ts";

const PODS = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
/** Upper bound for a busy machine. */
const PATIENCE = { timeout: 30_000 };
const LABELS = { "rbac.example.com/aggregate-to-all": "true" };
const all: KubeObject = { ...clusterRole("all"), aggregationRule: { clusterRoleSelectors: [{ matchLabels: LABELS }] } };
const labelled: KubeObject = { ...clusterRole("part", PODS), metadata: { name: "part", labels: LABELS } };

/** Cluster roles in memory. */
function client(...objects: KubeObject[]) {
  const roles = new Map(objects.map((object) => [object.metadata.name, object]));
  const handlers = new Set<(event: WatchEvent) => void>();
  const write = (object: KubeObject) => {
    roles.set(object.metadata.name, object);
    for (const handler of handlers) handler({ type: "MODIFIED", object });
  };
  const update = vi.fn((_: unknown, object: KubeObject) => {
    write(object);
    return Promise.resolve(object);
  });
  const local: Pick<LocalClient, "list" | "update" | "onEvent"> = {
    list: () => [...roles.values()],
    update,
    onEvent(_, handler) {
      const listener = (event: WatchEvent) => handler(event, undefined);
      handlers.add(listener);
      for (const object of roles.values()) listener({ type: "ADDED", object });
      return { [Symbol.dispose]: () => void handlers.delete(listener) };
    },
  };
  return { roles, write, update, local: local as LocalClient };
}

const fail = (error: unknown) => {
  throw error;
};

test("a role that selects others gets their rules, now and whenever they change", async () => {
  const { roles, write, local } = client(all, labelled);
  using _ = startAggregation(local, fail);
  await vi.waitFor(() => expect(roles.get("all")?.["rules"]).toEqual([PODS]), PATIENCE);
  const more = { verbs: ["list"], apiGroups: [""], resources: ["nodes"] };
  write({ ...labelled, rules: [PODS, more] });
  await vi.waitFor(() => expect(roles.get("all")?.["rules"]).toEqual([PODS, more]), PATIENCE);
});

test("nothing is written when all is as it should be", async () => {
  const { update, write, local } = client({ ...all, rules: [PODS] }, labelled);
  using _ = startAggregation(local, fail);
  write(clusterRole("other"));
  await new Promise(setImmediate);
  expect(update).not.toHaveBeenCalled();
});

test("a change that comes between is no failure, anything else is reported", async () => {
  const { update, write, local, roles } = client(all, labelled);
  const onError = vi.fn();
  update.mockRejectedValueOnce(
    conflict({ group: "rbac.authorization.k8s.io", kind: "clusterroles", name: "all" }, "changed"),
  );
  using _ = startAggregation(local, onError);
  await vi.waitFor(() => expect(update).toHaveBeenCalledOnce(), PATIENCE);
  expect(onError).not.toHaveBeenCalled();
  const trouble = new Error("trouble");
  update.mockRejectedValueOnce(trouble);
  write(clusterRole("again"));
  await vi.waitFor(() => expect(onError).toHaveBeenCalledExactlyOnceWith(trouble), PATIENCE);
  write(clusterRole("and again"));
  await vi.waitFor(() => expect(roles.get("all")?.["rules"]).toEqual([PODS]), PATIENCE);
});
