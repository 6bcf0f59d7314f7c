import type { CertifiedKey } from "../../certificates/index.ts";
import { beginOf, bundleOf, endOf } from "./bundle.ts";

/**
 * State of the webhooks' own authority. API servers trust the certificate shown at every moment: a new authority is
 * published beside the old one (`next`), signs once every API server had time to learn it, and the old one stays
 * trusted (`previous`) until every replica shows a certificate of the new one.
 */
export interface CertificateState {
  current: CertifiedKey;
  /** `publishedAt`, epoch milliseconds: since then every configuration holds this authority. */
  next?: CertifiedKey & { publishedAt?: number };
  previous?: { certPem: string; retiredAt: number };
  /** Certificate that every replica shows; signed by `current`. */
  serving: CertifiedKey & { hosts: string[] };
  /** The last request for a new authority that was carried out. */
  rotation?: string;
}

export interface RotationSettings {
  authorityDays: number;
  servingDays: number;
  /** Time for which both authorities are trusted, before the change and after it. */
  overlapMs: number;
}

export const DEFAULT_ROTATION: RotationSettings = { authorityDays: 730, servingDays: 90, overlapMs: 600_000 };

export interface RotationFacts {
  now: number;
  hosts: readonly string[];
  /** Every configuration holds every certificate of the bundle. */
  published: boolean;
  /** A person's request for a new authority. */
  rotation: string | undefined;
}

/** `until` is in epoch milliseconds. */
export type RotationStep =
  | { do: "Begin" }
  | { do: "PrepareNext" }
  | { do: "NotePublished" }
  | { do: "Promote" }
  | { do: "DropPrevious" }
  | { do: "IssueServing" }
  | { do: "Wait"; until: number };

/** A certificate is renewed after this share of its validity. */
const RENEW_AT = 2 / 3;

/** Throws when a certificate of the state cannot be read. */
export function nextStep(
  state: CertificateState | undefined,
  facts: RotationFacts,
  settings: RotationSettings,
): RotationStep {
  if (state === undefined) return { do: "Begin" };
  const { now } = facts;
  // The authority has expired, so no server trusts its certificates any more and a new one loses nothing.
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
    // The authority before the current one must be dropped first, or each request would make the bundle larger.
    if (end <= now && state.previous === undefined) return { do: "Promote" };
    if (end > now) later.push(end);
    return { do: "Wait", until: Math.min(...later) };
  }
  const authorityDue = renewalOf(state.current.certPem);
  const asked = facts.rotation !== undefined && facts.rotation !== state.rotation;
  if (authorityDue <= now || asked) return { do: "PrepareNext" };
  return { do: "Wait", until: Math.min(authorityDue, ...later) };
}

/** Bundle of all authorities to trust. */
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
