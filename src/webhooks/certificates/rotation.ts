import type { CertifiedKey } from "../../certificates/index.ts";
import { beginOf, bundleOf, endOf } from "./bundle.ts";

/**
 * How the webhooks' own authority is renewed without a moment in which a server does not trust what it is shown. A new authority is first
 * published beside the old one (`next`), signs only when everybody has had time to learn it, and the old one is trusted (`previous`)
 * until every replica shows a certificate of the new one.
 */
export interface CertificateState {
  current: CertifiedKey;
  /** `publishedAt`, epoch milliseconds: since when every configuration has held it. */
  next?: CertifiedKey & { publishedAt?: number };
  previous?: { certPem: string; retiredAt: number };
  /** Shown by every replica; signed by `current`. */
  serving: CertifiedKey & { hosts: string[] };
  /** The request for a new authority that was last honoured. */
  rotation?: string;
}

export interface RotationSettings {
  /** Days that an authority and a serving certificate are valid. */
  authorityDays: number;
  servingDays: number;
  /** How long old and new are trusted side by side before and after the change, milliseconds. */
  overlapMs: number;
}

export const DEFAULT_ROTATION: RotationSettings = { authorityDays: 730, servingDays: 90, overlapMs: 600_000 };

export interface RotationFacts {
  now: number;
  /** What the server is called by. */
  hosts: readonly string[];
  /** Every configuration holds every certificate of the bundle. */
  published: boolean;
  /** A person's request for a new authority, if there is one. */
  rotation: string | undefined;
}

/** What is to be done now. Steps that make keys are taken elsewhere; `Wait` says until when, epoch milliseconds. */
export type RotationStep =
  | { do: "Begin" }
  | { do: "PrepareNext" }
  | { do: "NotePublished" }
  | { do: "Promote" }
  | { do: "DropPrevious" }
  | { do: "IssueServing" }
  | { do: "Wait"; until: number };

/** A certificate is renewed when this share of its life is over. */
const RENEW_AT = 2 / 3;

/** Pure: the same state and facts, the same step. Throws when a certificate of the state cannot be read. */
export function nextStep(
  state: CertificateState | undefined,
  facts: RotationFacts,
  settings: RotationSettings,
): RotationStep {
  if (state === undefined) return { do: "Begin" };
  const { now } = facts;
  // Nothing to lose: no server trusts any of it any more.
  if (endOf(state.current.certPem) <= now) return { do: "Begin" };
  const servingDue = renewalOf(state.serving.certPem);
  if (servingDue <= now || !sameHosts(state.serving.hosts, facts.hosts)) return { do: "IssueServing" };

  const later: number[] = [servingDue];
  if (state.previous !== undefined) {
    const end = state.previous.retiredAt + settings.overlapMs;
    if (end <= now) return { do: "DropPrevious" };
    later.push(end);
  }
  if (state.next !== undefined) {
    if (state.next.publishedAt === undefined) {
      return facts.published ? { do: "NotePublished" } : { do: "Wait", until: Math.min(...later) };
    }
    const end = state.next.publishedAt + settings.overlapMs;
    // The one before the last must be gone first, or the bundle would grow with every request.
    if (end <= now && state.previous === undefined) return { do: "Promote" };
    if (end > now) later.push(end);
    return { do: "Wait", until: Math.min(...later) };
  }
  const authorityDue = renewalOf(state.current.certPem);
  const asked = facts.rotation !== undefined && facts.rotation !== state.rotation;
  if (authorityDue <= now || asked) return { do: "PrepareNext" };
  return { do: "Wait", until: Math.min(authorityDue, ...later) };
}

/** Everything that is to be trusted. */
export function trustBundle({ current, next, previous }: CertificateState): string {
  return bundleOf([
    current.certPem,
    ...(next === undefined ? [] : [next.certPem]),
    ...(previous === undefined ? [] : [previous.certPem]),
  ]);
}

function renewalOf(pem: string): number {
  const begin = beginOf(pem);
  return begin + (endOf(pem) - begin) * RENEW_AT;
}

function sameHosts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((host) => b.includes(host));
}
