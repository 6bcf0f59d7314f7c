import type { Finding, Severity } from "../shared/index.ts";

/** The result of one check at one place. */
export interface CheckResult {
  check: string;
  /** `hub`, or `cluster NAME`. */
  where: string;
  result: "Fine" | "Found" | "NotChecked";
  /** What was seen, in a few words. */
  what: string;
  findings: readonly Finding[];
}

export const HUB = "hub";

export function onCluster(name: string): string {
  return `cluster ${name}`;
}

type Found = Omit<Finding, "where">;

/** Collects the findings of one check. */
export class Checking {
  readonly #check: string;
  readonly #where: string;
  readonly #findings: Finding[] = [];

  constructor(check: string, where: string) {
    this.#check = check;
    this.#where = where;
  }

  error(code: string, what: string, remedy: string): void {
    this.add("Error", { code, what, remedy });
  }

  warning(code: string, what: string, remedy: string): void {
    this.add("Warning", { code, what, remedy });
  }

  add(severity: Severity, { code, what, remedy }: Omit<Found, "severity">): void {
    this.#findings.push({ code, severity, where: this.#where, what, remedy });
  }

  result(what: string): CheckResult {
    const findings = this.#findings;
    const isFine = findings.every(({ severity }) => severity === "Info");
    return { check: this.#check, where: this.#where, result: isFine ? "Fine" : "Found", what, findings };
  }
}

/** The rights of the person do not show what the check needs. */
export function notChecked(check: string, where: string, hidden: string): CheckResult {
  return { check, where, result: "NotChecked", what: `your rights do not show ${hidden}`, findings: [] };
}
