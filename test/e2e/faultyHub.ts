import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Fault, type FaultProxy, managerToken, type ProxiedRequest } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";

/** A manager that sees the hub through a proxy, and what this answers in the hub's place. */

const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Questions that are posted and Leases aside. */
export const isWrite = ({ method, path }: ProxiedRequest) =>
  WRITES.has(method) && !/\/(leases|self\w+reviews)\b/.test(path);

/** The file of a kubeconfig that leads to the hub through the proxy. */
export async function hubThrough(federation: Federation, proxy: FaultProxy): Promise<string> {
  const file = join(federation.fleet.dir, `kubeconfig-${new URL(proxy.server).port}`);
  await writeFile(file, proxy.kubeconfigFor(await managerToken(federation.hub)), { mode: 0o600 });
  return file;
}

/** Replaces the running manager by one that sees the hub through the proxy. */
export async function managerThrough(federation: Federation, proxy: FaultProxy, waitUntilReady = true): Promise<void> {
  await federation.manager.stop();
  // The later of two options counts.
  await federation.startManager({ args: ["--kubeconfig", await hubThrough(federation, proxy)], waitUntilReady });
}

/** Replaces it by one that asks the hub itself. */
export async function ordinaryManager(federation: Federation): Promise<void> {
  await federation.manager.stop();
  await federation.startManager();
}

/** No right to read this kind. */
export function forbidding(plural: string): Fault {
  return ({ method, path }) =>
    method === "GET" && path.endsWith(`/${plural}`)
      ? {
          status: 403,
          body: {
            kind: "Status",
            apiVersion: "v1",
            status: "Failure",
            reason: "Forbidden",
            code: 403,
            message: `${plural} is forbidden`,
          },
        }
      : undefined;
}

/** A stale or wrong answer, told once. */
export interface Lie {
  fault: Fault;
  told: number;
  refusedWatches: number;
}

/** The place of every watch of applications is too old, and the first read of everything comes back empty. */
export function emptyOnce(metadata: object): Lie {
  const lie: Lie = {
    told: 0,
    refusedWatches: 0,
    fault: ({ method, path, query }) => {
      if (method !== "GET" || !path.endsWith("/demoapplications")) return undefined;
      // How new the server is; the answer to that is true.
      if (query.get("limit") === "1") return undefined;
      if (query.get("sendInitialEvents") === "true")
        return { status: 422, body: failure(422, "Invalid", "sendInitialEvents is forbidden") };
      if (query.get("watch") === "true" || query.get("watch") === "1") {
        if (lie.told > 0) return undefined;
        lie.refusedWatches++;
        return { status: 410, body: failure(410, "Expired", "too old resource version") };
      }
      if (lie.told > 0) return undefined;
      lie.told++;
      return {
        status: 200,
        body: { kind: "DemoApplicationList", apiVersion: "paas.cmft.com/v1", metadata, items: [] },
      };
    },
  };
  return lie;
}

function failure(code: number, reason: string, message: string): unknown {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, code, message };
}
