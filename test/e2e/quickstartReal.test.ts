import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRealFleet } from "../../src/cmd/quickstart/fleet/realFleet.ts";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { controlPlaneAssets, run } from "../envtest/index.ts";

test("on the hub of `quickstart --real` a namespace goes when it is deleted", async () => {
  await using folder = await temporaryFolder("meridian-quickstart-");
  const request = {
    regions: [],
    ports: {},
    kept: false,
    folderOf: (cluster: string) => join(folder.path, cluster),
    kubeconfigFileOf: (cluster: string) => join(folder.path, `${cluster}.kubeconfig`),
    write: (file: string, text: string) => writeFile(file, text, { mode: 0o600 }),
    say: () => undefined,
    signal: new AbortController().signal,
  };
  await using fleet = await startRealFleet(request, process.env);
  const { kubectl: binary } = await controlPlaneAssets();
  const kubectl = (...args: string[]) => run(binary, [...args, "--kubeconfig", fleet.hub.kubeconfigFile]);
  // The kubeconfigs of a fleet can be given together: no two users are called the same.
  const users = await kubectl("config", "view", "-o", "jsonpath={.users[*].name}");
  expect(users.stdout).toBe("hub-admin");
  expect(await kubectl("create", "namespace", "passing")).toMatchObject({ code: 0 });
  expect(await kubectl("delete", "namespace", "passing", "--timeout", "60s")).toMatchObject({ code: 0, stderr: "" });
});
