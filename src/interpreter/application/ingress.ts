import { defined } from "../../apis/index.ts";
import { type Fields, numberOf, textOf } from "../values.ts";

/** Spec of an Ingress for the Service; undefined without a host or a port to lead to. */
export function ingressSpec(
  service: string,
  ingress: Fields,
  ports: readonly Fields[],
): Record<string, unknown> | undefined {
  const port = backendPort(ingress["port"], ports);
  const host = textOf(ingress["host"]);
  if (port === undefined || host === undefined) return undefined;
  const [className, secretName] = [textOf(ingress["className"]), textOf(ingress["tlsSecretName"])];
  const path = {
    path: textOf(ingress["path"]) ?? "/",
    pathType: textOf(ingress["pathType"]) ?? "Prefix",
    backend: { service: { name: service, port } },
  };
  return {
    ...defined({ ingressClassName: className }),
    ...(secretName === undefined ? {} : { tls: [{ hosts: [host], secretName }] }),
    rules: [{ host, http: { paths: [path] } }],
  };
}

/** Default: the first TCP port. */
function backendPort(asked: unknown, ports: readonly Fields[]): { number: number } | { name: string } | undefined {
  if (ports.length === 0) return undefined;
  const name = textOf(asked);
  if (name !== undefined) return { name };
  const number =
    numberOf(asked) ?? numberOf(ports.find((port) => (textOf(port["protocol"]) ?? "TCP") === "TCP")?.["port"]);
  return number === undefined ? undefined : { number };
}
