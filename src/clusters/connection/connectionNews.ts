import type { Contact } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { ClusterFindings } from "../../ports/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import { AnsweringRecord } from "./answering.ts";
import type { ClusterReporting } from "./clusterReporter.ts";

/** What one connection logs and reports of its cluster. */
export class ConnectionNews {
  readonly #report: ClusterReporting;
  readonly #logger: Logger;
  readonly #answering: AnsweringRecord;
  #contactIsDue = false;

  /** `latencyMs`: the last number that was reported. */
  constructor(report: ClusterReporting, logger: Logger, latencyMs: number | undefined) {
    this.#report = report;
    this.#logger = logger;
    this.#answering = new AnsweringRecord(latencyMs);
  }

  contactChanged(before: Contact, contact: Contact): void {
    const { reason, message } = contact;
    if (contact.ok) this.#logger.info("contact made");
    else {
      this.#answering.reset();
      this.#logger.warn({ event_reason: reason, message }, before.ok ? "contact lost" : "no contact");
    }
    this.#contact(contact);
  }

  /** The contact has to be reported even if it does not change: the hub's side anticipates contact with the identity. */
  contactIsDue(): void {
    this.#contactIsDue = true;
  }

  reportDueContact(contact: Contact): void {
    if (this.#contactIsDue) this.#contact(contact);
  }

  found(findings: ClusterFindings): void {
    this.#report.send({ kind: "Findings", findings });
  }

  /** Takes the duration of a probe, which is cheap, as the latency of network and API server. */
  measured(ms: number, pace: Why | undefined): void {
    const answering = this.#answering.take({ ms, pace });
    if (answering !== undefined) this.#report.send({ kind: "Answering", answering });
  }

  #contact(contact: Contact): void {
    this.#contactIsDue = false;
    this.#report.send({ kind: "Contact", contact });
  }
}
