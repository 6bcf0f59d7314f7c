import type { ReportSession } from "./report.ts";
import { PROTOCOL_VERSION } from "./work.ts";

/** Why a receiver does not begin the session. `known`: the newest session that it has had. */
export function refusalOf(session: ReportSession, known: ReportSession | undefined, epoch: number): string | undefined {
  const { version } = session;
  if (version !== PROTOCOL_VERSION) return otherVersion(version);
  if (session.epoch !== epoch) return `this manager has the epoch ${epoch}, the worker ${session.epoch}`;
  const isOld = known?.worker === session.worker && known.number >= session.number;
  return isOld ? "the worker has begun a later session" : undefined;
}

export function otherVersion(version: number): string {
  return `this manager speaks version ${PROTOCOL_VERSION} of the protocol, the worker version ${version}`;
}

/** Stands in for the channel of a session that was not begun. Answers every message, since an answer may be lost. */
export function refusedSession(
  why: string,
  answer: (answer: { kind: "Superseded"; why: string }) => void,
): { send: () => void } & Disposable {
  const refuse = (): void => answer({ kind: "Superseded", why });
  refuse();
  return { send: refuse, [Symbol.dispose]: () => undefined };
}
