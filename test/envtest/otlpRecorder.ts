import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type KeyValue = { key: string; value: Value };

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  links?: { traceId: string; spanId: string }[];
  events?: { name: string; attributes?: KeyValue[] }[];
  status?: { code?: number; message?: string };
}

/** A span as a collector gets it. */
export interface RecordedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** Nanoseconds since 1970. */
  start: bigint;
  end: bigint;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  events: { name: string; attributes: Record<string, string | number | boolean> }[];
  failed: boolean;
  /** Of the process that sent the span. */
  resource: Record<string, string | number | boolean>;
}

/** A collector of OTLP/HTTP that keeps spans, and refuses what is no export. */
export class OtlpRecorder implements AsyncDisposable {
  readonly url: string;
  readonly spans: RecordedSpan[] = [];
  /** Bodies of exports of metrics and logs, by path. */
  readonly others = new Map<string, string[]>();
  /** Requests that were refused, and why. */
  readonly refused: string[] = [];
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(): Promise<OtlpRecorder> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const problem = recorder.#take(`${request.method} ${request.url}`, request.headers["content-type"], body);
        if (problem !== undefined) recorder.refused.push(problem);
        response.writeHead(problem === undefined ? 200 : 400, { "content-type": "application/json" }).end("{}");
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const recorder = new OtlpRecorder(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    return recorder;
  }

  named(name: string): RecordedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** The spans right beneath that one, in the order in which they began. */
  beneath({ traceId, spanId }: RecordedSpan): RecordedSpan[] {
    return this.spans
      .filter((span) => span.traceId === traceId && span.parentSpanId === spanId)
      .toSorted((a, b) => Number(a.start - b.start));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  #take(call: string, type: string | undefined, body: string): string | undefined {
    if (type !== "application/json") return `${type} is not what is read here`;
    if (call === "POST /v1/metrics" || call === "POST /v1/logs") {
      this.others.set(call, [...(this.others.get(call) ?? []), body]);
      return undefined;
    }
    if (call !== "POST /v1/traces") return `${call} is no export`;
    const { resourceSpans = [] } = JSON.parse(body) as {
      resourceSpans?: { resource?: { attributes?: KeyValue[] }; scopeSpans?: { spans?: SentSpan[] }[] }[];
    };
    for (const { resource, scopeSpans = [] } of resourceSpans)
      for (const { spans = [] } of scopeSpans)
        for (const span of spans) this.spans.push(recorded(span, valuesOf(resource?.attributes)));
    return undefined;
  }
}

function recorded(span: SentSpan, resource: RecordedSpan["resource"]): RecordedSpan {
  const { traceId, spanId, parentSpanId, name, links = [], events = [] } = span;
  return {
    traceId,
    spanId,
    parentSpanId: parentSpanId === "" ? undefined : parentSpanId,
    name,
    start: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
    attributes: valuesOf(span.attributes),
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    events: events.map((event) => ({ name: event.name, attributes: valuesOf(event.attributes) })),
    failed: span.status?.code === 2,
    resource,
  };
}

function valuesOf(attributes: readonly KeyValue[] = []): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue ?? doubleValue),
    ]),
  );
}
