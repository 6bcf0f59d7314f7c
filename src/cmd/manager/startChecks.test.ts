import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ApiError, type Client, TransportError } from "../../runtime/index.ts";
import type { ManagerOptions } from "./verb.ts";
import { checkFiles, checkNamespaces } from "./startChecks.ts";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "meridian-start-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("what an option names on this machine", () => {
  const url = "https://prometheus.o11y.svc";
  const webhooksIn = (certDir: string) => ({ webhooks: { certDir } as ManagerOptions["webhooks"] & object });

  test("is taken where it can be read, and a folder for certificates though it is empty", async () => {
    const folder = await newFolder();
    const file = join(folder, "token");
    await writeFile(file, "t");
    await checkFiles({ prometheus: { url, caFile: file, tokenFile: file }, ...webhooksIn(folder) });
    await checkFiles({});
  });

  test.each([
    ["--prometheus-token-file", (path: string) => ({ prometheus: { url, tokenFile: path } })],
    ["--prometheus-ca-file", (path: string) => ({ prometheus: { url, caFile: path } })],
    ["--webhook-cert-dir", webhooksIn],
  ])("is asked for again where it is not there: %s", async (flag, named) => {
    await expect(checkFiles(named("/no/such/place"))).rejects.toThrow(
      `${flag} /no/such/place does not exist: name another path, or mount or create this one first`,
    );
  });

  test("is asked for again where it is of another kind", async () => {
    const folder = await newFolder();
    const file = join(folder, "token");
    await writeFile(file, "t");
    await expect(checkFiles({ prometheus: { url, tokenFile: folder } })).rejects.toThrow(
      `--prometheus-token-file ${folder} is a folder: name a file in it`,
    );
    await expect(checkFiles(webhooksIn(file))).rejects.toThrow(`--webhook-cert-dir ${file} is no folder`);
    await expect(checkFiles({ prometheus: { url, tokenFile: join(file, "t") } })).rejects.toThrow(
      "cannot be read (ENOTDIR)",
    );
  });
});

describe("a namespace of the hub", () => {
  const signal = new AbortController().signal;
  /** A hub that answers so when it is asked for one of these namespaces. */
  const hub = (error: Error, ...names: string[]): Client =>
    ({
      get: (_type: unknown, _namespace: unknown, name: string) =>
        names.includes(name) ? Promise.reject(error) : Promise.resolve({ metadata: { name } }),
    }) as unknown as Client;
  const missing = new ApiError(404, "NotFound", "not found");

  test("that is there is taken", async () => {
    await checkNamespaces(hub(missing), { namespace: "a", membersNamespace: "b" }, signal);
  });

  test.each([
    { flag: "--namespace", name: "a" },
    { flag: "--members-namespace", name: "b" },
  ])("that does not exist is named, with $flag", async ({ flag, name }) => {
    await expect(
      checkNamespaces(hub(missing, name), { namespace: "a", membersNamespace: "b" }, signal),
    ).rejects.toThrow(
      `the hub has no namespace ${name}: choose another with ${flag}, or create it with \`kubectl create namespace ${name}\`; where Meridian is not installed yet, \`meridian install\` creates its own`,
    );
  });

  test.each([new ApiError(403, "Forbidden", "no"), new TransportError("ConnectionRefused", "refused")])(
    "of which the hub does not say so is no mistake: %s",
    async (error) => {
      await checkNamespaces(hub(error, "a"), { namespace: "a" }, signal);
    },
  );
});
