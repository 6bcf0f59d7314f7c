/** What an API server counted of its own requests: who says that nothing was written must ask the server. */

export interface RequestCount {
  /** GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE… */
  verb: string;
  group: string;
  resource: string;
  subresource: string;
  code: string;
  count: number;
}

export type RequestFilter = Partial<Record<"verb" | "group" | "resource" | "subresource" | "code", string | string[]>>;

const WRITES = new Set(["POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"]);

/** `apiserver_request_total` at one moment. */
export class RequestCounters {
  readonly counts: readonly RequestCount[];

  constructor(counts: readonly RequestCount[]) {
    this.counts = counts;
  }

  static parse(exposition: string): RequestCounters {
    const counts: RequestCount[] = [];
    for (const line of exposition.split("\n")) {
      if (!line.startsWith("apiserver_request_total{")) continue;
      const end = line.lastIndexOf("}");
      const labels = parseLabels(line.slice("apiserver_request_total{".length, end));
      counts.push({
        verb: labels.get("verb") ?? "",
        group: labels.get("group") ?? "",
        resource: labels.get("resource") ?? "",
        subresource: labels.get("subresource") ?? "",
        code: labels.get("code") ?? "",
        count: Number(line.slice(end + 1)),
      });
    }
    return new RequestCounters(counts);
  }

  /** How many requests match; every given label must be one of the given values. */
  total(filter: RequestFilter = {}): number {
    return this.counts.reduce((sum, entry) => (matches(entry, filter) ? sum + entry.count : sum), 0);
  }

  /** What was counted since `earlier`, without what did not move. */
  since(earlier: RequestCounters): RequestCounters {
    const before = new Map<string, number>();
    for (const entry of earlier.counts) before.set(keyOf(entry), (before.get(keyOf(entry)) ?? 0) + entry.count);
    const difference: RequestCount[] = [];
    for (const entry of this.counts) {
      const count = entry.count - (before.get(keyOf(entry)) ?? 0);
      before.set(keyOf(entry), 0);
      if (count !== 0) difference.push({ ...entry, count });
    }
    return new RequestCounters(difference);
  }

  /** Requests that write, without Leases, the requests for tokens and the questions that are posted (access and token reviews). */
  writes(): RequestCounters {
    return new RequestCounters(
      this.counts.filter(
        (entry) =>
          WRITES.has(entry.verb) &&
          entry.resource !== "leases" &&
          entry.group !== "authorization.k8s.io" &&
          entry.group !== "authentication.k8s.io" &&
          entry.subresource !== "token",
      ),
    );
  }

  /** One line for each kind of request, for messages. */
  describe(): string[] {
    return this.counts.map(({ verb, group, resource, subresource, code, count }) => {
      const what = `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;
      return `${count} × ${verb} ${what} (${code})`;
    });
  }
}

function matches(entry: RequestCount, filter: RequestFilter): boolean {
  return (Object.entries(filter) as [keyof RequestFilter, string | string[]][]).every(([label, wanted]) =>
    typeof wanted === "string" ? entry[label] === wanted : wanted.includes(entry[label]),
  );
}

function keyOf(entry: RequestCount): string {
  return [entry.verb, entry.group, entry.resource, entry.subresource, entry.code].join("|");
}

function parseLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  for (const [, name, value] of text.matchAll(/([a-z_]+)="([^"]*)"/g)) {
    if (name !== undefined && value !== undefined) labels.set(name, value);
  }
  return labels;
}
