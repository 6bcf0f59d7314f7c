import { describe, expect, test } from "vitest";
import type { ApproversProven, KubeObject } from "../apis/index.ts";
import type { Informer } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { ApprovalGuard } from "./approvalGuard.ts";
import { webhookConfigurations, type WebhookTarget } from "./configurations.ts";

const target: WebhookTarget = { kind: "Url", url: "https://127.0.0.1:9443" };
const CREATED = "2026-01-01T00:00:00Z";
/** API servers take up a configuration a moment after it is stored. */
const SINCE = Date.parse(CREATED) + 2_000;
const HOLDERS = [
  { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" },
  { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" },
  { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ResourceBinding" },
  { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ClusterResourceBinding" },
];

type Webhook = Record<string, unknown> & { name: string; rules: { resources: string[] }[] };

/** The validating configuration, as it stands on the hub, with another approvals webhook. */
function configuration(change: (approvals: Webhook) => object = () => ({}), created = CREATED): KubeObject {
  const [, whole] = webhookConfigurations("meridian", target, "bundle");
  if (whole === undefined) throw new Error("there is no such configuration");
  const webhooks = (whole["webhooks"] as Webhook[]).map((one) => {
    const live = { namespaceSelector: {}, objectSelector: {}, ...one };
    return one.name.startsWith("approvals.") ? { ...live, ...change(one) } : live;
  });
  return { ...whole, metadata: { ...whole.metadata, creationTimestamp: created }, webhooks };
}

/** A guard that sees this configuration; `undefined`: there is none. */
function guarding(first: KubeObject | undefined, synced = true) {
  const clock = new FakeClock(Date.parse(CREATED) + 3_600_000);
  let live = first;
  let tell = (): void => undefined;
  const informer = {
    synced,
    list: () => (live === undefined ? [] : [live]),
    onEvent: (handler: () => void) => {
      tell = handler;
      if (live !== undefined) handler();
      return { [Symbol.dispose]: () => undefined };
    },
  } as unknown as Pick<Informer<KubeObject>, "list" | "onEvent" | "synced">;
  const guard = new ApprovalGuard({ informer, target, clock });
  const change = (to: KubeObject | undefined): void => {
    live = to;
    tell();
  };
  const since = (): ApproversProven[] => HOLDERS.map((holder) => guard.provenSince(holder));
  return { since, change, clock };
}

const all = <T>(one: T): T[] => HOLDERS.map(() => one);

describe("approvers are proven", () => {
  test("since the configuration asks about them, for every kind that holds approvals", () => {
    expect(guarding(configuration()).since()).toEqual(all(SINCE));
  });

  test.each<{ name: string; change: (approvals: Webhook) => object }>([
    { name: "lets pass what nobody answers", change: () => ({ failurePolicy: "Ignore" }) },
    {
      name: "asks about a part of the changes",
      change: () => ({ matchConditions: [{ name: "never", expression: "false" }] }),
    },
    {
      name: "asks under one more condition",
      change: ({ matchConditions }) => ({
        matchConditions: [...(matchConditions as object[]), { name: "never", expression: "false" }],
      }),
    },
    { name: "asks in some namespaces", change: () => ({ namespaceSelector: { matchLabels: { a: "b" } } }) },
    { name: "asks about some objects", change: () => ({ objectSelector: { matchLabels: { a: "b" } } }) },
    { name: "asks about one version", change: () => ({ matchPolicy: "Exact" }) },
    { name: "asks elsewhere", change: () => ({ clientConfig: { url: "https://127.0.0.1:9444/approve" } }) },
    {
      name: "asks for another judgement",
      change: () => ({ clientConfig: { url: "https://127.0.0.1:9443/validate" } }),
    },
    {
      name: "asks about new objects alone",
      change: ({ rules }) => ({ rules: rules.map((rule) => ({ ...rule, operations: ["CREATE"] })) }),
    },
    {
      name: "asks about objects in namespaces alone",
      change: ({ rules }) => ({ rules: rules.map((rule) => ({ ...rule, scope: "Namespaced" })) }),
    },
    { name: "asks about nothing", change: () => ({ rules: [] }) },
    { name: "is called otherwise, and asks about nothing", change: () => ({ name: "other.example.com", rules: [] }) },
  ])("not where it $name", ({ change }) => {
    expect(guarding(configuration(change)).since()).toEqual(all("Never"));
  });

  test("not for a kind that is left out", () => {
    const bindings = ({ rules }: Webhook) => ({
      rules: rules.filter(({ resources }) => resources.includes("resourcebindings")),
    });
    expect(guarding(configuration(bindings)).since()).toEqual(["Never", "Never", SINCE, SINCE]);
  });

  test("not without a configuration, and after that since another one is there", async () => {
    const { since, change, clock } = guarding(configuration());
    change(undefined);
    expect(since()).toEqual(all("Never"));
    await clock.advance(60_000);
    change(configuration());
    expect(since()).toEqual(all(clock.now() + 2_000));
  });

  test("since somebody's change was taken back, though nobody asked in between", async () => {
    const { since, change, clock } = guarding(configuration());
    change(configuration(() => ({ failurePolicy: "Ignore" })));
    await clock.advance(60_000);
    change(configuration());
    const taken = clock.now() + 2_000;
    await clock.advance(60_000);
    expect(since()).toEqual(all(taken));
  });

  test("perhaps, as long as the configuration is unread; not where it stays so", async () => {
    const { since, clock } = guarding(undefined, false);
    expect(since()).toEqual(all("Unread"));
    await clock.advance(30_000);
    expect(since()).toEqual(all("Never"));
  });
});
