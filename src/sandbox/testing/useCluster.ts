import { afterAll, beforeAll, expect } from "vitest";
import { type SandboxCluster, type SandboxClusterOptions, startSandboxCluster } from "../index.ts";
import { type ClientOptions, HttpsClient } from "./httpsClient.ts";

/** A cluster without controllers for all tests of a file, and a client of it. What the cluster reports as an error fails the file. */
export function useCluster(options: Partial<SandboxClusterOptions> = {}, clientOptions: ClientOptions = {}) {
  const used = {} as { cluster: SandboxCluster; client: HttpsClient };
  const errors: unknown[] = [];
  beforeAll(async () => {
    const onError = (error: unknown) => void errors.push(error);
    used.cluster = await startSandboxCluster({ name: "test", controllers: false, onError, ...options });
    used.client = new HttpsClient(used.cluster, clientOptions);
  });
  afterAll(async () => {
    await used.client.close();
    await used.cluster.stop();
    expect(errors).toEqual([]);
  });
  return used;
}
