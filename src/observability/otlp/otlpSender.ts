import type { Signal } from "./collector.ts";

/** Sends one request and resolves when the collector has taken it. Rejects with the reason. */
export interface OtlpSender {
  send(body: object): Promise<void>;
  close(): Promise<void>;
}

/** The names that OpenTelemetry's own exporters give themselves. */
const ITEMS = { traces: "span", metrics: "metric_data_point", logs: "log" } as const;

/** Headers, timeout, compression and certificates are those of OTEL_EXPORTER_OTLP_*, as for traces. */
export async function otlpSender(signal: Signal, url: string): Promise<OtlpSender> {
  const { convertLegacyHttpOptions, createOtlpHttpExportDelegate } =
    await import("@opentelemetry/otlp-exporter-base/node-http");
  const headers = { "Content-Type": "application/json" };
  const delegate = createOtlpHttpExportDelegate<object, unknown>(
    convertLegacyHttpOptions({ url }, signal.toUpperCase(), `v1/${signal}`, headers),
    {
      serializeRequest: (body) => new TextEncoder().encode(JSON.stringify(body)),
      deserializeResponse: (answer) => (answer.length === 0 ? {} : JSON.parse(new TextDecoder().decode(answer))),
    },
    `meridian_otlp_${signal}`,
    { name: ITEMS[signal], countItems: () => 1 },
    undefined,
  );
  return {
    send: (body) =>
      new Promise((resolve, reject) => {
        delegate.export(body, ({ code, error }) => {
          if (code === 0) resolve();
          else reject(error ?? new Error("no reason was given"));
        });
      }),
    close: () => delegate.shutdown(),
  };
}
