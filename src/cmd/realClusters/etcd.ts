import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Assets } from "./assets.ts";
import { eventually } from "./eventually.ts";
import { freePort, ManagedProcess } from "./processes.ts";

/** One etcd. Every control plane stores its objects under its own prefix. */
export interface Etcd extends AsyncDisposable {
  readonly url: string;
  /** Etcd is down meanwhile. */
  backUp(to: string): Promise<void>;
  /** Later writes are lost. */
  restore(from: string): Promise<void>;
}

export async function startEtcd(assets: Assets, folder: string): Promise<Etcd> {
  const [client, peer] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${client}`;
  const data = join(folder, "etcd");
  const start = (): Promise<ManagedProcess> => launch(assets, { folder, data, url, peer: `http://127.0.0.1:${peer}` });
  let server = await start();
  return {
    url,
    async backUp(to) {
      await server.stop();
      await cp(data, to, { recursive: true });
      server = await start();
    },
    async restore(from) {
      await server.kill();
      await rm(data, { recursive: true });
      await cp(from, data, { recursive: true });
      server = await start();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

interface Place {
  folder: string;
  data: string;
  url: string;
  peer: string;
}

async function launch(assets: Assets, { folder, data, url, peer }: Place): Promise<ManagedProcess> {
  const server = new ManagedProcess({
    name: "etcd",
    command: assets.etcd,
    args: [
      `--data-dir=${data}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      // The data survive a crash of API servers, but not of the machine.
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
  return server;
}
