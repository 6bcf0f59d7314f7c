import { describe, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL } from "../../apis/index.ts";
import { CONFIGMAPS, NAMESPACES, SECRETS } from "../../runtime/index.ts";
import { CLUSTER, CONFIG_REF } from "../testing/builders.ts";
import {
  caching,
  DATABASE_KIND,
  DATABASE_REF,
  DATABASES,
  GONE,
  made,
  RESET,
  trustOf,
} from "../testing/cacheHarness.ts";

describe("the watches of a session", () => {
  test("are one for each kind, of what has our label", async () => {
    const { begin, settle, member, told, state } = caching();
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS, NAMESPACES]);
    expect(told()).toEqual(["sight changed"]);
    await settle();
    expect(Array.from(member.server.watchers, ({ type, options }) => [type, options.labelSelector])).toEqual([
      [CONFIGMAPS, `${MANAGED_BY_LABEL}=hub`],
      [NAMESPACES, `${MANAGED_BY_LABEL}=hub`],
    ]);
    expect([told(), state.suspicions]).toEqual([["knows more", "knows more"], 0]);
  });

  test("are one for each namespace that the credentials reach, and none of what is in no namespace", async () => {
    const { begin, settle, watched } = caching();
    begin({ namespaces: ["shop", "bank"] }).cache.setKinds([CONFIGMAPS, SECRETS, NAMESPACES]);
    await settle();
    expect(watched()).toEqual([
      "configmaps.v1 in bank",
      "configmaps.v1 in shop",
      "secrets.v1 in bank",
      "secrets.v1 in shop",
    ]);
  });

  test("stay as they are while their kinds do", async () => {
    const { begin, settle, member, watched } = caching();
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS]);
    await settle();
    const before = member.calls.length;
    cache.setKinds([{ ...CONFIGMAPS }]);
    await settle();
    expect([member.calls.length, watched()]).toEqual([before, ["configmaps.v1"]]);
  });

  test("begin anew where a kind is served otherwise, and forget nothing", async () => {
    const { begin, settle, member, watched, changes } = caching();
    member.server.create(CONFIGMAPS, made(CONFIG_REF));
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS]);
    await settle();
    changes.length = 0;
    cache.setKinds([{ ...CONFIGMAPS, version: "v2" }]);
    await settle();
    expect([watched(), trustOf(cache)]).toEqual([["configmaps.v2"], "all"]);
    expect(changes).not.toContain("- ConfigMap shop");
  });

  test("end with their kinds, and say why", async () => {
    const { begin, settle, member, watched } = caching();
    const signals: (AbortSignal | undefined)[] = [];
    member.gate = ({ verb, type, options, phase }) => {
      if (verb === "watch" && type === CONFIGMAPS && phase === "before") signals.push(options.signal);
    };
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS, SECRETS]);
    await settle();
    cache.setKinds([SECRETS]);
    await settle();
    expect(watched()).toEqual(["secrets.v1"]);
    expect(signals).toHaveLength(1);
    expect(signals[0]?.reason).toEqual(new Error("/ConfigMap is not watched any more"));
  });

  test("that end before they have brought anything say nothing", async () => {
    const { begin, settle, hang, told, watched } = caching();
    const answer = hang("configmaps");
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS]);
    await settle();
    cache.setKinds([]);
    await settle();
    answer();
    await settle(60_000);
    expect([told(), watched()]).toEqual([["sight changed", "sight changed"], []]);
  });

  test("end with the session, and none begins after it", async () => {
    const { begin, settle, member, discovery, told, held, watched } = caching();
    const { cache, end } = begin();
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    const calls = member.calls.length;
    told();
    end();
    await settle();
    held.length = 0;
    expect(watched()).toEqual([]);
    cache.setKinds([CONFIGMAPS, SECRETS], [DATABASE_KIND]);
    cache.reviewKinds();
    cache.advance();
    await settle(60_000);
    expect([member.calls.length, discovery.asked, watched(), told(), held]).toEqual([calls, 1, [], [], []]);
  });

  test("end with the reason of the session", async () => {
    const { begin, settle, member } = caching();
    const signals: (AbortSignal | undefined)[] = [];
    member.gate = ({ options, phase }) => {
      if (phase === "before") signals.push(options.signal);
    };
    const { cache, end } = begin();
    cache.setKinds([CONFIGMAPS]);
    await settle();
    end();
    expect(signals.map((signal) => signal?.reason)).toEqual([new Error("the session is over")]);
  });

  test("that break ask for a probe", async () => {
    const { begin, settle, member, state } = caching();
    begin().cache.setKinds([CONFIGMAPS]);
    await settle();
    member.server.dropWatches(RESET);
    await settle();
    expect(state.suspicions).toBe(1);
    await settle(1_000);
    expect(state.suspicions).toBe(1);
  });
});

describe("a kind that not every server has", () => {
  test("is watched where the member serves it, as the member serves it", async () => {
    const { begin, settle, watched, discovery } = caching();
    discovery.served = [{ ...DATABASES, version: "v3" }];
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND, { group: "example.com", kind: "Gadget" }]);
    await settle();
    expect(watched()).toEqual(["configmaps.v1", "databases.v3"]);
    expect(cache.writer.lacks(DATABASE_REF)).toBe("No");
    expect(cache.writer.lacks({ ...DATABASE_REF, kind: "Gadget" })).toBe("Perhaps");
  });

  test("is watched as soon as its definition has come", async () => {
    const { begin, settle, watched, discovery, told } = caching();
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    expect([watched(), discovery.asked]).toEqual([["configmaps.v1"], 1]);
    told();
    discovery.served = [DATABASES];
    cache.reviewKinds();
    await settle();
    expect([watched(), discovery.asked]).toEqual([["configmaps.v1", "databases.v1"], 2]);
    expect(told()).toContain("knows more");
  });

  /** A session on a member with a ConfigMap and these databases, whose definition has gone since. */
  const withoutDefinition = async (...databases: KubeObject[]) => {
    const parts = caching();
    const { begin, settle, discovery, member } = parts;
    discovery.served = [DATABASES];
    member.server.create(CONFIGMAPS, made(CONFIG_REF));
    for (const database of databases) member.server.create(DATABASES, database);
    const { cache } = begin();
    cache.setKinds([CONFIGMAPS], [DATABASE_KIND]);
    await settle();
    discovery.served = [];
    cache.reviewKinds();
    await settle();
    return parts;
  };

  test("is watched until its objects were seen to go, when its definition goes", async () => {
    const { settle, watched, member, isSeen } = await withoutDefinition(made(DATABASE_REF));
    expect(watched()).toEqual(["configmaps.v1", "databases.v1"]);
    member.server.delete(DATABASES, "default", "shop");
    await settle(1_000);
    expect([watched(), isSeen(DATABASE_REF)]).toEqual([["configmaps.v1"], false]);
  });

  test("is not watched any more at once, when its definition goes and there is nothing of it", async () => {
    const { watched } = await withoutDefinition();
    expect(watched()).toEqual(["configmaps.v1"]);
  });
});

describe("watches that wait out a failure", () => {
  const broken = async () => {
    const parts = caching();
    const { cache } = parts.begin();
    parts.failures.set("configmaps", GONE).set("secrets", RESET);
    cache.setKinds([CONFIGMAPS, SECRETS, NAMESPACES]);
    await parts.settle(60_000);
    parts.member.calls.length = 0;
    return { ...parts, cache };
  };

  test("are tried at once when the member is back", async () => {
    const { cache, settle, member } = await broken();
    await settle();
    expect(member.calls).toEqual([]);
    cache.retryWatches();
    await settle();
    expect(member.calls).toEqual(["watch configmaps", "watch secrets"]);
  });

  test("are tried at once when a definition changes, where it was the kind that the member did not serve", async () => {
    const { cache, settle, member } = await broken();
    cache.reviewKinds();
    await settle();
    expect(member.calls).toEqual(["watch configmaps"]);
  });
});

test("the watches are named in the log", async () => {
  const { begin, settle, vanish, member, lines } = caching();
  const named = (namespace: string, count: number) => {
    for (let index = 0; index < count; index += 1)
      member.server.create(CONFIGMAPS, made({ ...CONFIG_REF, namespace, name: `config-${index}` }));
  };
  named("shop", 12);
  const whole = begin();
  whole.cache.setKinds([CONFIGMAPS]);
  await settle();
  vanish(CONFIGMAPS);
  await settle();
  whole.end();
  named("shop", 12);
  begin({ namespaces: ["shop"] }).cache.setKinds([CONFIGMAPS]);
  await settle();
  vanish(CONFIGMAPS);
  await settle();
  const warnings = lines.filter(({ vanished }) => vanished === 12);
  expect(warnings.map(({ informer }) => informer)).toEqual([`${CLUSTER}/configmaps`, `${CLUSTER}/shop/configmaps`]);
});
