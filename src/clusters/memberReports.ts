import { sameValue } from "../apis/index.ts";
import type { ContactReport, Report } from "../ports/index.ts";
import type { CapacityReading } from "../scheduler/index.ts";
import { type MemberObjects, PendingReport } from "./model/index.ts";
import { Reporter, type ReporterOptions } from "./reporter.ts";

/** What is known of the member now. */
export interface MemberKnowledge {
  contact: ContactReport;
  /** Last revision that was taken, once every member object is known. */
  complete: { revision: number } | undefined;
}

/** All reports on one member: its contact, its objects and the free room on its nodes, each when it changes. */
export class MemberReports implements Disposable {
  readonly #objects: PendingReport;
  readonly #reporter: Reporter;
  readonly #knowledge: () => MemberKnowledge;
  #contact: ContactReport | undefined;
  /** This session of reports has named every member object that is known. */
  #hasReportedAll = false;
  #room: CapacityReading | undefined;

  constructor(options: Omit<ReporterOptions, "everything">, objects: MemberObjects, knowledge: () => MemberKnowledge) {
    this.#reporter = new Reporter({ ...options, everything: () => this.#reportEverything() });
    this.#objects = new PendingReport(options.cluster, objects, (observations) =>
      this.#reporter.send({ observations }),
    );
    this.#knowledge = knowledge;
  }

  /** Begins a session of reports in this epoch. */
  open(epoch: number): void {
    this.#reporter.open(epoch);
  }

  /** Nothing is reported afterwards. */
  [Symbol.dispose](): void {
    this.#reporter[Symbol.dispose]();
  }

  /** Reports the contact if it has changed, or if all member objects are known for the first time. */
  reportContact(): void {
    if (!this.#reporter.isOpen) return;
    const { contact, complete } = this.#knowledge();
    const isNowComplete = complete !== undefined && !this.#hasReportedAll;
    if (sameValue(this.#contact, contact) && !isNowComplete) return;
    this.#contact = contact;
    // One report: whoever reads that all is known finds all observations.
    const report: Omit<Report, "seq"> = { observations: this.#objects.collect(), contact };
    if (isNowComplete) {
      this.#hasReportedAll = true;
      report.complete = complete;
    }
    this.#reporter.send(report);
  }

  reportCapacity(reading: CapacityReading): void {
    const before = this.#room;
    this.#room = reading;
    this.#reporter.send({ capacity: reading === before ? "Unchanged" : { reading } });
  }

  /** A measurement that is no longer repeated becomes outdated. */
  stopCapacity(): void {
    if (this.#room === undefined) return;
    this.#room = undefined;
    this.#reporter.send({ capacity: "Stopped" });
  }

  /** A new session begins: the receiver may know nothing. */
  #reportEverything(): void {
    this.#hasReportedAll = false;
    this.#contact = undefined;
    this.#objects.addAll();
    this.reportContact();
    if (this.#room !== undefined) this.#reporter.send({ capacity: { reading: this.#room } });
  }
}
