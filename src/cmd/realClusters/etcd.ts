import { join } from "node:path";
import type { Assets } from "./assets.ts";
import { eventually } from "./eventually.ts";
import { freePort, ManagedProcess } from "./processes.ts";

/** One etcd; every control plane keeps its objects there under a prefix of its own. */
export interface Etcd extends AsyncDisposable {
  readonly url: string;
  readonly process: ManagedProcess;
}

/** Starts it on what the folder `etcd` below that folder holds, if there is one. */
export async function startEtcd(assets: Assets, folder: string): Promise<Etcd> {
  const [client, peer] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${client}`;
  const server = new ManagedProcess({
    name: "etcd",
    command: assets.etcd,
    args: [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=default=http://127.0.0.1:${peer}`,
      // The data outlive a crash of API servers, not one of the machine.
      "--unsafe-no-fsync",
      "--log-level=warn",
    ],
    logFile: join(folder, "etcd.log"),
    detached: true,
  });
  try {
    await server.whileRunning((signal) =>
      eventually(
        async () => {
          const response = await fetch(`${url}/health`);
          if (!response.ok) throw new Error(`etcd answers ${response.status}`);
        },
        { timeout: 30_000, message: "etcd", signal },
      ),
    );
  } catch (error) {
    await server.kill();
    throw error;
  }
  return { url, process: server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
