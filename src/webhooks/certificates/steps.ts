import { defined } from "../../apis/index.ts";
import { CertificateAuthority } from "../../certificates/index.ts";
import type { CertificateState, RotationFacts, RotationSettings, RotationStep } from "./rotation.ts";

/** The state after a step. Makes keys; reads no clock and writes nothing. */
export async function takeStep(
  state: CertificateState | undefined,
  step: Exclude<RotationStep, { do: "Wait" }>,
  facts: RotationFacts,
  settings: RotationSettings,
): Promise<CertificateState> {
  if (state === undefined || step.do === "Begin") return await begin(facts, settings);
  const { now } = facts;
  switch (step.do) {
    case "PrepareNext": {
      const next = await createAuthority(now, settings);
      return { ...state, ...defined({ rotation: facts.rotation }), next: next.toPem() };
    }
    case "NotePublished":
      return state.next === undefined ? state : { ...state, next: { ...state.next, publishedAt: now } };
    case "Promote": {
      const { next, ...rest } = state;
      if (next === undefined) return state;
      const { publishedAt: _, ...current } = next;
      const serving = await issue(await CertificateAuthority.load(current), facts, settings);
      return { ...rest, current, previous: { certPem: state.current.certPem, retiredAt: now }, serving };
    }
    case "DropPrevious": {
      const { previous: _, ...rest } = state;
      return rest;
    }
    case "IssueServing":
      return { ...state, serving: await issue(await CertificateAuthority.load(state.current), facts, settings) };
  }
}

async function begin(facts: RotationFacts, settings: RotationSettings): Promise<CertificateState> {
  const authority = await createAuthority(facts.now, settings);
  return {
    current: authority.toPem(),
    serving: await issue(authority, facts, settings),
    ...defined({ rotation: facts.rotation }),
  };
}

function createAuthority(now: number, { authorityDays }: RotationSettings): Promise<CertificateAuthority> {
  return CertificateAuthority.create({ name: "meridian-webhooks", now, days: authorityDays });
}

async function issue(
  authority: CertificateAuthority,
  { now, hosts }: RotationFacts,
  { servingDays }: RotationSettings,
): Promise<CertificateState["serving"]> {
  const name = hosts[0] ?? "meridian-webhooks";
  const pair = await authority.issue({ name: name.slice(0, 64), hosts, now, days: servingDays });
  return { ...pair, hosts: [...hosts] };
}
