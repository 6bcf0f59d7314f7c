import { text } from "../values.ts";
import { complete, completeNumbers, type StructDefaults } from "./struct.ts";

const CORE = "io.k8s.api.core.v1.";

const container: StructDefaults = (struct) =>
  complete(struct, {
    imagePullPolicy: isLatest(text(struct["image"])) ? "Always" : "IfNotPresent",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });

const probe: StructDefaults = (struct) =>
  completeNumbers(struct, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });

/** True for an image without tag and digest, or with the tag `latest`. False for an invalid image name. */
export function isLatest(image: string): boolean {
  if (!/^[A-Za-z0-9]/.test(image) || /[A-Z]/.test(repositoryOf(image))) return false;
  if (image.includes("@")) return false;
  const tag = /:([^:/]*)$/.exec(image)?.[1];
  return tag === undefined || tag === "latest";
}

/** A registry's host may have capitals; a repository may not. */
function repositoryOf(image: string): string {
  const parts = (image.split("@")[0] ?? "").split("/");
  const last = (parts.pop() ?? "").split(":")[0] ?? "";
  const [host = ""] = parts;
  const isHost = host.includes(".") || host.includes(":") || host === "localhost";
  return [...(isHost ? parts.slice(1) : parts), last].join("/");
}

export const containerDefaults: Readonly<Record<string, StructDefaults>> = {
  [`${CORE}Container`]: container,
  [`${CORE}EphemeralContainer`]: container,
  [`${CORE}Probe`]: probe,
  [`${CORE}HTTPGetAction`]: (struct) => complete(struct, { path: "/", scheme: "HTTP" }),
  [`${CORE}GRPCAction`]: (struct) => complete(struct, { service: "" }),
  [`${CORE}ObjectFieldSelector`]: (struct) => complete(struct, { apiVersion: "v1" }),
};
