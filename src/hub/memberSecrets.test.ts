import { describe, expect, onTestFinished, test } from "vitest";
import { createLogger } from "../observability/index.ts";
import { ApiError, SECRETS, TransportError, type WatchOptions } from "../runtime/index.ts";
import { FakeClient } from "../runtime/testing/fakeClient.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { MemberSecrets } from "./memberSecrets.ts";

const SYSTEM = "meridian-system";
const { signal } = new AbortController();

/** The store of a hub in memory. `watched`: namespace and field selector of each watch. */
async function storing() {
  const watched: unknown[] = [];
  class Hub extends FakeClient {
    override watch(
      type: Parameters<FakeClient["watch"]>[0],
      options: WatchOptions = {},
    ): ReturnType<FakeClient["watch"]> {
      watched.push([type.plural, options.namespace, options.fieldSelector]);
      return super.watch(type, options);
    }
  }
  const hub = new Hub();
  const clock = new FakeClock();
  const store = new MemberSecrets({ client: hub, namespace: SYSTEM, clock, logger: createLogger({ level: "silent" }) });
  const put = (name: string, namespace = SYSTEM) =>
    hub.server.apply(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace, annotations: { a: "1" } },
      data: { kubeconfig: "aGVsbG8=", other: "eA==" },
    });
  put("a");
  const changed: string[] = [];
  const end = new AbortController();
  const running = store.run(end.signal);
  onTestFinished(async () => {
    end.abort(new Error("over"));
    await running;
  });
  const following = store.onChange((name) => void changed.push(name));
  await store.waitForSync(end.signal);
  return { hub, clock, store, put, watched, changed, following };
}

describe("the members' Secrets", () => {
  test("are followed in one namespace, without the releases of Helm", async () => {
    const { store, watched, put, clock, changed } = await storing();
    expect(watched).toEqual([["secrets", SYSTEM, "type!=helm.sh/release.v1"]]);
    const [version] = [store.get("a")?.resourceVersion];
    const data = { kubeconfig: "aGVsbG8=", other: "eA==" };
    expect(store.get("a")).toEqual({ name: "a", resourceVersion: version, annotations: { a: "1" }, data });
    expect(store.get("a")).toBe(store.get("a"));
    put("b");
    put("c", "default");
    await clock.settle();
    expect([store.get("b")?.name, store.get("c"), changed]).toEqual(["b", undefined, ["a", "b"]]);
  });

  test("report their changes and their end, until nobody follows them", async () => {
    const { hub, clock, store, changed, following } = await storing();
    hub.server.delete(SECRETS, SYSTEM, "a");
    await clock.settle();
    expect([store.get("a"), changed]).toEqual([undefined, ["a", "a"]]);
    following[Symbol.dispose]();
    hub.server.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: SYSTEM } });
    await clock.settle();
    expect([store.get("a")?.data, changed.length]).toEqual([{}, 2]);
  });

  test("are read from the hub if the watch is behind", async () => {
    const { hub, store, put } = await storing();
    hub.server.dropWatches(new TransportError("ConnectionReset", "connection closed"));
    put("b");
    expect(store.get("b")).toBeUndefined();
    expect((await store.lookUp("b", signal))?.name).toBe("b");
    expect(store.get("b")?.name).toBe("b");
    expect(await store.lookUp("missing", signal)).toBeUndefined();
    hub.gate = () => {
      throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    await expect(store.lookUp("c", signal)).rejects.toThrow("etcd is away");
  });
});

describe("a renewed token", () => {
  const renewedOf = (resourceVersion: string) => ({
    ...{ name: "a", resourceVersion },
    annotations: { b: "2" },
    data: { kubeconfig: "bmV3" },
  });

  test("is stored in its Secret, whose other entries stay", async () => {
    const { hub, store } = await storing();
    expect(await store.renew(renewedOf(store.get("a")?.resourceVersion ?? ""), signal)).toBe("Stored");
    expect(hub.server.get(SECRETS, SYSTEM, "a")).toMatchObject({
      metadata: { annotations: { a: "1", b: "2" } },
      data: { kubeconfig: "bmV3", other: "eA==" },
    });
  });

  test("is not stored if somebody has changed the Secret", async () => {
    const { hub, store } = await storing();
    hub.gate = () => {
      throw new ApiError(409, "Conflict", "the object has been modified");
    };
    expect(await store.renew(renewedOf("1"), signal)).toBe("Conflict");
    hub.gate = () => {
      throw new ApiError(503, "ServiceUnavailable", "etcd is away");
    };
    await expect(store.renew(renewedOf("1"), signal)).rejects.toThrow("etcd is away");
  });
});
