import { type Contact, defined, fullMessage } from "../apis/index.ts";
import { type ContactReport, NOT_YET_KNOWN } from "../ports/index.ts";
import { ALL_READABLE, type ClusterCache } from "./watch/index.ts";

/** No reason: no contact has been tried yet, which says nothing about the cluster. */
export const UNTRIED: Contact = { ok: false };

/** {@link UNTRIED} for the contact of a connection that is not known yet. */
export function triedContact(contact: Contact): Contact {
  return !contact.ok && contact.reason === NOT_YET_KNOWN ? UNTRIED : contact;
}

/** Contact with a member, and what is known of it. `cache`: of the current session, if any. */
export function contactReport(
  tried: Contact,
  cache: Pick<ClusterCache, "isFullySynced" | "isPartlySynced" | "readability"> | undefined,
): ContactReport {
  const isSynced = cache?.isFullySynced === true;
  const { unreadable, unserved, ungranted, grant, blindness } = cache?.readability ?? ALL_READABLE;
  const contact: Contact =
    blindness === undefined || !tried.ok
      ? tried
      : { ok: false, lastContact: blindness.since, reason: "NotObserved", message: fullMessage(blindness.message) };
  return {
    ...contact,
    synced: isSynced && contact.ok,
    ...(!isSynced && contact.ok && cache?.isPartlySynced === true ? { partlySynced: true } : {}),
    pending: tried === UNTRIED || (tried.ok && !isSynced && unreadable.size === 0),
    ...(unreadable.size === 0 ? {} : { unreadable: Array.from(unreadable, ([kind, why]) => ({ kind, why })) }),
    ...(unserved.size === 0 ? {} : { unserved: [...unserved] }),
    ...(ungranted.size === 0 ? {} : { ungranted: [...ungranted] }),
    ...defined({ grant }),
  };
}
