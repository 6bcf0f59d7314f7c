import { describe, expect, onTestFinished, test } from "vitest";
import { setUpHub } from "../../hub/testing/fakeHub.ts";
import { NAMESPACES } from "../../runtime/index.ts";
import { HubNamespaces } from "./hubNamespaces.ts";
import { app } from "../testing/planning.ts";

const ENFORCE = "pod-security.kubernetes.io/enforce";

async function namespacesOf(...names: string[]) {
  const { server, cache, start, settle } = setUpHub();
  for (const name of names)
    server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: {} } });
  const namespaces = new HubNamespaces({ hub: cache, protected: ["mine"] });
  onTestFinished(() => namespaces[Symbol.dispose]());
  const changes: string[] = [];
  namespaces.changes.subscribe((name) => void changes.push(name));
  await start();
  const termsOf = (namespace: string) => namespaces.termsFor(app({ namespace }));
  const change = async (name: string, metadata: object): Promise<void> => {
    server.merge(NAMESPACES, undefined, name, { metadata });
    await settle();
  };
  return { server, settle, namespaces, changes, termsOf, change };
}

describe("what a namespace allows its applications", () => {
  test("is told when a namespace comes, or when its terms change, and at no other change", async () => {
    const { server, settle, termsOf, changes, change } = await namespacesOf("team");
    server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } });
    await settle();
    expect([changes, termsOf("new") === undefined]).toEqual([["new"], false]);
    const before = termsOf("team");
    await change("team", { labels: { note: "x" } });
    expect([changes, termsOf("team")]).toEqual([["new"], before]);
    await change("team", { labels: { [ENFORCE]: "restricted" } });
    expect(changes).toEqual(["new", "team"]);
    expect(termsOf("team")).not.toEqual(before);
  });

  test("is another thing for a protected namespace", async () => {
    const { termsOf } = await namespacesOf("team", "mine", "kube-system");
    expect(["team", "mine", "kube-system"].map((name) => termsOf(name)?.isProtected)).toEqual([false, true, true]);
  });

  test("is forgotten with the namespace, and followed no more at the end", async () => {
    const { server, settle, namespaces, changes, termsOf, change } = await namespacesOf("team", "other");
    server.delete(NAMESPACES, undefined, "team");
    await settle();
    expect(termsOf("team")).toBeUndefined();
    namespaces[Symbol.dispose]();
    await change("other", { labels: { [ENFORCE]: "restricted" } });
    expect(changes).toEqual([]);
  });

  test("is known at once for what is in no namespace: what a namespace without labels allows", async () => {
    const { server, settle, namespaces, termsOf } = await namespacesOf("team");
    server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "plain" } });
    await settle();
    const { namespace: _, ...metadata } = app().metadata;
    const terms = namespaces.termsFor({ ...app(), metadata });
    expect([terms?.namespace, terms?.isProtected, terms?.security]).toEqual(["", false, termsOf("plain")?.security]);
    expect(terms?.allowsServiceAccount("builder")).toBe(false);
  });
});
