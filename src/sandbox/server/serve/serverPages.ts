import type { Api } from "../api.ts";
import { type RequestMetrics } from "../request/index.ts";

/** Facts that the server reports about itself. */
export interface ServerInfo {
  /** Such as `v1.35.4`. */
  version: string;
  /** `127.0.0.1:PORT`. */
  address: string;
}

interface Page {
  type: string;
  body: string;
}

const PLAIN = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json";

/** Pages outside the API: health, version, metrics, and the list of paths. Undefined for any other path. */
export function serverPage(path: string, info: ServerInfo, api: Api, metrics: RequestMetrics): Page | undefined {
  switch (path) {
    case "/healthz":
    case "/livez":
    case "/readyz":
    case "/healthz/ping":
    case "/livez/ping":
    case "/readyz/ping":
      return { type: PLAIN, body: "ok" };
    case "/version":
    case "/version/":
      return { type: JSON_TYPE, body: JSON.stringify(versionOf(info.version), undefined, 2) };
    case "/metrics":
      return { type: "text/plain; version=0.0.4; charset=utf-8", body: metrics.text(api.store) };
    case "/":
      return { type: JSON_TYPE, body: JSON.stringify({ paths: pathsOf(api) }, undefined, 2) };
    default:
      return undefined;
  }
}

function versionOf(gitVersion: string) {
  const [major = "", minor = ""] = gitVersion.replace(/^v/, "").split(".");
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "meridian-sandbox",
    platform: `${process.platform}/${process.arch}`,
  };
}

function pathsOf({ catalog }: Api): string[] {
  const paths = new Set([
    "/api",
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ]);
  for (const { group, versions } of catalog.resources) {
    for (const { name, served } of versions) {
      if (!served) continue;
      if (group === "") paths.add(`/api/${name}`);
      else paths.add(`/apis/${group}`).add(`/apis/${group}/${name}`);
    }
  }
  return [...paths].sort();
}
