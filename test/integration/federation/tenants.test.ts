import { expect, test } from "vitest";
import { POD_SECURITY_ANNOTATION } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, NAMESPACES, OVERRIDEPOLICIES, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, overridePolicy, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const ENFORCE = "pod-security.kubernetes.io/enforce";

/** Labels and annotations of a namespace of the hub. */
function namespace(name: string, labels: Record<string, string>, annotations: Record<string, string> = {}) {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels, annotations } };
}

async function withApp(team: string, labels: Record<string, string>): Promise<TestFederation> {
  const federation = await TestFederation.start("a");
  await federation.apply(NAMESPACES, namespace(team, labels));
  await federation.apply(PLACEMENTS, placement("all").namespace(team));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace(team).replica(1));
  return federation;
}

const isThere = (federation: TestFederation, team: string): boolean =>
  federation.member("a").server.has(DEPLOYMENTS, team, "shop");

function entry(federation: TestFederation, team: string) {
  const status = federation.hub.find(DEMOAPPLICATIONS, team, "shop")?.["status"] as
    | { clusters?: { reason?: string; message?: string; state: string }[] }
    | undefined;
  return status?.clusters?.[0];
}

test("a namespace that Meridian makes carries the Pod Security labels of the hub's, and follows them", async () => {
  const team = "labelled";
  await using federation = await withApp(team, { [ENFORCE]: "baseline", tier: "web" });
  const { server } = federation.member("a");
  await federation.until(() => isThere(federation, team));
  const made = () => server.get(NAMESPACES, undefined, team).metadata;
  expect(made().labels).toMatchObject({ [ENFORCE]: "baseline" });
  expect(made().labels).not.toHaveProperty("tier");

  await federation.apply(
    NAMESPACES,
    namespace(team, { "pod-security.kubernetes.io/warn": "baseline", [ENFORCE]: "privileged" }),
  );
  await federation.until(() => made().labels?.[ENFORCE] === "privileged");
  expect(made().labels).toHaveProperty("pod-security.kubernetes.io/warn");

  // What somebody on the member makes of it stays until the hub's labels change again.
  await server.merge(NAMESPACES, undefined, team, { metadata: { labels: { [ENFORCE]: "restricted" } } });
  await federation.pass(60_000);
  expect(made().labels?.[ENFORCE]).toBe("restricted");

  await federation.apply(NAMESPACES, namespace(team, {}));
  await federation.until(() => made().annotations?.[POD_SECURITY_ANNOTATION] === "{}");
  expect(made().labels).not.toHaveProperty("pod-security.kubernetes.io/warn");
});

test("a policy that goes beyond the namespace is refused, and obeyed once an administrator allows it", async () => {
  const team = "refused";
  await using federation = await withApp(team, { [ENFORCE]: "privileged" });
  await federation.apply(
    OVERRIDEPOLICIES,
    overridePolicy("debug")
      .namespace(team)
      .rule({
        patches: [{ op: "add", path: "/spec/template/spec/serviceAccountName", value: "ops", kind: "Deployment" }],
      }),
  );
  await federation.until(() => entry(federation, team)?.reason === "NotAllowed");
  expect(entry(federation, team)).toMatchObject({
    state: "Failed",
    message:
      "OverridePolicy debug, rule 0: spec.serviceAccountName must not be ops (not in the annotation federation.paas.cmft.com/allowed-service-accounts of namespace refused)",
  });
  await federation.until(() => {
    const { status } = federation.hub.get(OVERRIDEPOLICIES, team, "debug") as { status?: { lastError?: string } };
    return status?.lastError?.includes("OverridePolicy debug, rule 0: spec.serviceAccountName") === true;
  });

  await federation.apply(
    NAMESPACES,
    namespace(team, { [ENFORCE]: "privileged" }, { "federation.paas.cmft.com/allowed-service-accounts": "ops" }),
  );
  await federation.until(() => entry(federation, team)?.reason !== "NotAllowed");
  await federation.until(() => {
    const { spec } = federation.member("a").server.get(DEPLOYMENTS, team, "shop") as unknown as {
      spec: { template: { spec: { serviceAccountName?: string } } };
    };
    return spec.template.spec.serviceAccountName === "ops";
  });
});

test("what runs is left as it is when its namespace becomes stricter, and runs on when the namespace relents", async () => {
  const team = "stricter";
  await using federation = await withApp(team, {});
  await federation.until(() => isThere(federation, team));
  const version = () => federation.member("a").server.get(DEPLOYMENTS, team, "shop").metadata.generation;
  const before = version();

  await federation.apply(NAMESPACES, namespace(team, { [ENFORCE]: "restricted" }));
  await federation.until(() => entry(federation, team)?.reason === "PodSecurity");
  expect(version()).toBe(before);

  await federation.apply(NAMESPACES, namespace(team, { [ENFORCE]: "baseline" }));
  await federation.until(() => entry(federation, team)?.state !== "Failed");
});

test("nothing is written into a protected namespace of a member", async () => {
  const team = "kube-public";
  await using federation = await withApp(team, {});
  await federation.until(() => entry(federation, team)?.reason === "ProtectedNamespace");
  expect(isThere(federation, team)).toBe(false);
});
