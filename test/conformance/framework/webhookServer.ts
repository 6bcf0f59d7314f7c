import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { CertificateAuthority } from "../../../src/certificates/index.ts";

/** Webhooks that both servers call; what one does stands in its path. */
export interface WebhookServer extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string;
  /** Base64, as configurations hold it. */
  caBundle: string;
}

type Fields = Record<string, unknown>;

interface AdmissionRequest extends Fields {
  uid: string;
  object: { metadata: { labels?: Record<string, string> } } | null;
  oldObject: unknown;
}

interface ConversionRequest {
  uid: string;
  desiredAPIVersion: string;
  objects: { apiVersion: string; spec?: { a?: string; b?: string } }[];
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const authority = await CertificateAuthority.create({ name: "conformance", now: Date.now() });
  const { certPem, keyPem } = await authority.issue({ name: "hook", hosts: ["127.0.0.1"], now: Date.now() });
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    answer(request).then(
      (body) => response.writeHead(200, { "content-type": "application/json" }).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // The server knows no connection before its TLS handshake has ended, and would wait for it at the end.
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(authority.caPem).toString("base64"),
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function answer(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const { request, kind, apiVersion } = JSON.parse(Buffer.concat(chunks).toString()) as {
    kind: string;
    apiVersion: string;
    request: unknown;
  };
  const path = new URL(message.url ?? "/", "https://hook").pathname;
  if (path === "/nonsense") return "{}";
  if (kind === "ConversionReview") {
    return JSON.stringify({ apiVersion, kind, response: converted(request as ConversionRequest, path) });
  }
  const { uid } = request as AdmissionRequest;
  return JSON.stringify({ apiVersion, kind, response: { uid, ...admitted(path, request as AdmissionRequest) } });
}

function admitted(path: string, request: AdmissionRequest): Fields {
  const labels = request.object?.metadata.labels;
  const withLabel = (name: string, value: string) =>
    patched([
      ...(labels === undefined ? [{ op: "add", path: "/metadata/labels", value: {} }] : []),
      { op: "add", path: `/metadata/labels/${name}`, value },
    ]);
  const digit = /^\/append\/(\d)$/.exec(path)?.[1];
  if (digit !== undefined) return withLabel("trail", `${labels?.["trail"] ?? ""}${digit}`);
  switch (path) {
    case "/warn":
      return { allowed: true, warnings: ["be careful"] };
    case "/deny":
      return { allowed: false, status: { message: "not today" } };
    case "/deny-status":
      return { allowed: false, status: { message: "unwelcome", reason: "Invalid", code: 422 } };
    case "/deny-silently":
      return { allowed: false };
    case "/label":
      return withLabel("hooked", "yes");
    case "/break":
      return patched([{ op: "add", path: "/data", value: { "not a key": "" } }]);
    case "/echo":
      return { allowed: true, warnings: [JSON.stringify(seen(request))] };
    default:
      throw new Error(`no webhook has the path ${path}`);
  }
}

/** What a webhook is told of a request, less the objects and who asked. */
function seen(request: AdmissionRequest): Fields {
  const { operation, kind, resource, subResource, name, dryRun, options, object, oldObject } = request;
  const optionsKind = (options as Fields | undefined)?.["kind"];
  return {
    ...{
      operation,
      kind: (kind as Fields)["kind"],
      version: (resource as Fields)["version"],
      subResource,
      name,
      dryRun,
    },
    ...{ options: optionsKind, object: object !== null, old: oldObject !== null },
  };
}

function patched(operations: object[]): Fields {
  return { allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") };
}

/** In v1 the field is called `a`, in v2 `b`. */
function converted({ uid, desiredAPIVersion, objects }: ConversionRequest, path: string): Fields {
  if (path === "/refuse-to-convert") {
    return { uid, result: { status: "Failure", message: "cannot convert" }, convertedObjects: [] };
  }
  const convertedObjects = objects.map(({ spec, ...rest }) => {
    const value = spec?.a ?? spec?.b;
    const field = desiredAPIVersion.endsWith("/v2") ? "b" : "a";
    const fields = value === undefined ? {} : { [field]: value };
    return { ...rest, apiVersion: desiredAPIVersion, ...(spec === undefined ? {} : { spec: fields }) };
  });
  return { uid, result: { status: "Success" }, convertedObjects };
}
