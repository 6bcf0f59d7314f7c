import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { CertificateAuthority } from "../../src/certificates/index.ts";
import { type ClientKey, clientAuthority } from "../../src/query/testing/clientCertificates.ts";
import { controlPlaneAssets } from "../envtest/index.ts";

/** What an API server with an aggregation layer is started with, and what stands behind its APIServices. */

const PROXY = "front-proxy-client";

export interface Aggregation extends AsyncDisposable {
  apiserverArgs: string[];
  /** With `tls.crt`, `tls.key` and `ca.crt` of the server behind the Service. */
  servingFolder: string;
  /** Authority of that server, PEM. */
  servingCa: string;
  /** The API server's own, as which it passes requests on. */
  frontProxy: ClientKey;
  /** Of the authority of the front proxy, with another name. */
  otherName: ClientKey;
  /** Of an authority that nobody knows. */
  stranger: ClientKey;
}

/** `hosts`: names of the server behind the Service. */
export async function aggregation(hosts: string[]): Promise<Aggregation> {
  const folder = await mkdtemp(join(tmpdir(), "meridian-aggregation-"));
  const authority = await clientAuthority("front-proxy-ca");
  const frontProxy = await authority.issue(PROXY);
  const files = { "ca.crt": authority.pem, "proxy.crt": frontProxy.cert, "proxy.key": frontProxy.key };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content, { mode: 0o600 });
  const servingFolder = join(folder, "serving");
  await mkdir(servingFolder);
  const now = Date.now();
  const serving = await CertificateAuthority.create({ name: "serving-ca", now });
  const { certPem, keyPem } = await serving.issue({ name: hosts[0] ?? "", hosts, now });
  const shown = { "ca.crt": serving.caPem, "tls.crt": certPem, "tls.key": keyPem };
  for (const [name, content] of Object.entries(shown))
    await writeFile(join(servingFolder, name), content, { mode: 0o600 });
  return {
    apiserverArgs: [
      `--requestheader-client-ca-file=${join(folder, "ca.crt")}`,
      `--requestheader-allowed-names=${PROXY}`,
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      `--proxy-client-cert-file=${join(folder, "proxy.crt")}`,
      `--proxy-client-key-file=${join(folder, "proxy.key")}`,
    ],
    servingFolder,
    servingCa: serving.caPem,
    frontProxy,
    otherName: await authority.issue("somebody"),
    stranger: await (await clientAuthority("front-proxy-ca")).issue(PROXY),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

export interface HttpsCall {
  url: string;
  ca: string;
  /** Absent: no certificate of the client. */
  as?: ClientKey;
  headers?: Record<string, string | string[]>;
}

/** One GET. The server's name is not looked at. */
export async function get({ url, ca, as, headers = {} }: HttpsCall): Promise<{ code: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number; text: string }>();
  const options = { ca, ...as, headers, agent: false, checkServerIdentity: () => undefined };
  const asking = request(url, options, (answer) => {
    text(answer).then((body) => resolve({ code: answer.statusCode ?? 0, text: body }), reject);
  });
  asking.once("error", reject);
  asking.end();
  return promise;
}

/** What an answer without an end says until that is in its text. */
export async function textUntil({ url, ca, headers = {} }: HttpsCall, pattern: RegExp): Promise<string> {
  const asking = request(url, { ca, headers, agent: false, checkServerIdentity: () => undefined });
  asking.end();
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  let said = "";
  for await (const piece of answer.setEncoding("utf8")) {
    said += String(piece);
    if (pattern.test(said)) break;
  }
  asking.destroy();
  return said;
}

/** What kubectl prints until that is in its output. */
export async function kubectlUntil(file: string, args: string[], pattern: RegExp, onFirst: () => unknown) {
  const { kubectl } = await controlPlaneAssets();
  const child = spawn(kubectl, ["--kubeconfig", file, ...args], { timeout: 60_000, killSignal: "SIGKILL" });
  let [printed, failed] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (failed += chunk));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (printed === "") void onFirst();
    printed += chunk;
    if (pattern.test(printed)) child.kill("SIGINT");
  });
  await once(child, "close");
  return { printed, failed };
}
