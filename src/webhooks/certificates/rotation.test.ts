import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bundleOf, certificatesIn, holdsAll } from "./bundle.ts";
import { type CertificateState, nextStep, type RotationFacts, type RotationSettings, trustBundle } from "./rotation.ts";
import { readSecret, writeSecretData } from "./secret.ts";
import { takeStep } from "./steps.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 21);
const SETTINGS: RotationSettings = { authorityDays: 60, servingDays: 30, overlapMs: DAY };
const HOSTS = ["meridian-webhook.meridian-system.svc"];

const factsAt = (now: number, given: Partial<RotationFacts> = {}): RotationFacts => ({
  now,
  hosts: HOSTS,
  published: true,
  rotation: undefined,
  ...given,
});

async function settle(state: CertificateState | undefined, facts: RotationFacts) {
  const steps: string[] = [];
  let current = state;
  for (let i = 0; i < 10; i++) {
    const step = nextStep(current, facts, SETTINGS);
    if (step.do === "Wait") return { state: current as CertificateState, steps, until: step.until };
    steps.push(step.do);
    current = await takeStep(current, step, facts, SETTINGS);
  }
  throw new Error(`no end: ${steps.join()}`);
}

/** Whether a client with this bundle takes the certificate that is shown. */
function trusts(bundle: string, { serving }: CertificateState): boolean {
  const shown = new X509Certificate(serving.certPem);
  return certificatesIn(bundle).some((pem) => shown.verify(new X509Certificate(pem).publicKey));
}

describe("the webhooks' own authority", () => {
  test("over a year, whoever learnt the bundle within the overlap trusts what is shown, and keys change often enough", async () => {
    let { state } = await settle(undefined, factsAt(START));
    const authorities = new Set([state.current.certPem]);
    let learnt = { bundle: trustBundle(state), at: START };
    for (let now = START; now < START + 365 * DAY; now += DAY / 2) {
      // A client that hears of bundles a little less than an overlap late.
      if (now - learnt.at >= SETTINGS.overlapMs) learnt = { bundle: trustBundle(state), at: now };
      ({ state } = await settle(state, factsAt(now)));
      expect(trusts(learnt.bundle, state), new Date(now).toISOString()).toBe(true);
      expect(new X509Certificate(state.serving.certPem).validToDate.getTime()).toBeGreaterThan(now + 5 * DAY);
      authorities.add(state.current.certPem);
      expect(certificatesIn(trustBundle(state)).length).toBeLessThanOrEqual(2);
    }
    expect(authorities.size).toBeGreaterThan(7);
  });

  test("does not sign before every configuration holds it", async () => {
    const first = await settle(undefined, factsAt(START));
    const asked = { rotation: "1" };
    const prepared = await settle(first.state, factsAt(START, { ...asked, published: false }));
    expect(prepared.steps).toEqual(["PrepareNext"]);
    const later = await settle(prepared.state, factsAt(START + 10 * DAY, { ...asked, published: false }));
    expect(later.steps).toEqual([]);
    const noted = await settle(later.state, factsAt(START + 10 * DAY, asked));
    expect(noted.steps).toEqual(["NotePublished"]);
    expect(noted.until).toBe(START + 11 * DAY);
    expect((await settle(noted.state, factsAt(START + 11 * DAY, asked))).steps).toEqual(["Promote"]);
  });

  test("is exchanged once for each request, and not again", async () => {
    const { state } = await settle(undefined, factsAt(START));
    let now = START;
    let current = state;
    const steps: string[] = [];
    for (let i = 0; i < 6; i++, now += DAY) {
      const settled = await settle(current, factsAt(now, { rotation: "1" }));
      current = settled.state;
      steps.push(...settled.steps);
    }
    expect(steps).toEqual(["PrepareNext", "NotePublished", "Promote", "DropPrevious"]);
    expect(current.current.certPem).not.toBe(state.current.certPem);
  });

  test("issues anew for other hosts, and begins anew when nothing of it is valid any more", async () => {
    const { state } = await settle(undefined, factsAt(START));
    expect((await settle(state, factsAt(START, { hosts: ["127.0.0.1"] }))).steps).toEqual(["IssueServing"]);
    expect((await settle(state, factsAt(START + 61 * DAY))).steps).toEqual(["Begin"]);
  });

  test("lies in a Secret and comes back from there as it was", async () => {
    const { state } = await settle(undefined, factsAt(START));
    const prepared = (await settle(state, factsAt(START, { rotation: "1" }))).state;
    const secretOf = (data: Record<string, string>) =>
      readSecret({ apiVersion: "v1", kind: "Secret", metadata: { name: "a", resourceVersion: "7" }, data });
    const data = writeSecretData(prepared);
    expect(secretOf(data)).toEqual({ resourceVersion: "7", state: prepared, rotation: undefined });
    expect(secretOf({ "state.json": "e30=" }).state).toBeUndefined();
    expect(secretOf({}).state).toBeUndefined();
    const ca = Buffer.from(data["ca.crt"] ?? "", "base64").toString();
    expect(certificatesIn(ca)).toHaveLength(2);
  });
});

describe("a bundle", () => {
  test("is one text for the same certificates, each once, without what is none", async () => {
    const { state } = await settle(undefined, factsAt(START));
    const { state: other } = await settle(undefined, factsAt(START));
    const [a, b] = [state.current.certPem, other.current.certPem];
    const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    expect(bundleOf([a, b, a, broken, "text"])).toBe(bundleOf([b, a]));
    expect(holdsAll(bundleOf([a, b]), a)).toBe(true);
    expect(holdsAll(a, bundleOf([a, b]))).toBe(false);
  });
});
