import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { freePort, ManagedProcess, temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import {
  buildMeridian,
  CommandFailure,
  type ControlPlane,
  eventually,
  REPOSITORY,
  run,
  startControlPlane,
} from "../envtest/index.ts";
import { podsOf, render } from "./chart.ts";

/**
 * What the image holds, without a container engine: the same files, as the user of the image, without a privilege, on a root that cannot
 * be written and where nothing of the project is. Only root can set that up.
 */
const possible = process.platform === "linux" && process.getuid?.() === 0;

/** $1: an empty folder; $2: the layout of the image; $3: node; $4: MERIDIAN_URL; the rest: arguments. The process in the end is node itself. */
const CONTAIN = `
set -eu
root=$1 image=$2 node=$3 url=$4
shift 4
mount -t tmpfs tmpfs "$root"
mkdir -p "$root/nodejs/bin" "$root/app" "$root/proc" "$root/dev" "$root/config"
touch "$root/nodejs/bin/node" "$root/dev/null" "$root/dev/urandom" "$root/dev/setpriv"
mount --bind "$node" "$root/nodejs/bin/node"
mount --bind "$image/app" "$root/app"
mount --bind "$image/config" "$root/config"
for library in /lib /lib64 /usr/lib; do
  test -d "$library" || continue
  mkdir -p "$root$library"
  mount --bind "$library" "$root$library"
  mount -o remount,bind,ro "$root$library"
done
mount --bind /dev/null "$root/dev/null"
mount --bind /dev/urandom "$root/dev/urandom"
mount --bind "$(command -v setpriv)" "$root/dev/setpriv"
mount --rbind /proc "$root/proc"
for folder in app config nodejs/bin/node; do mount -o remount,bind,ro "$root/$folder"; done
mount -o remount,ro "$root"
exec env -i MERIDIAN_URL="$url" "$(command -v chroot)" "$root" /dev/setpriv --no-new-privs --bounding-set=-all --inh-caps=-all \\
  --reuid 65532 --regid 65532 --clear-groups /nodejs/bin/node "$@"
`;

/** Of the identifiers of SPDX those under which packages are welcome here. */
const SPDX = ["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

let folder: AsyncDisposable & { path: string };

beforeAll(async () => {
  await buildMeridian();
  folder = await temporaryFolder("meridian-image-");
  await layOut(join(folder.path, "image"));
});

afterAll(async () => folder[Symbol.asyncDispose]());

async function layOut(path: string): Promise<void> {
  const result = await run(".ci/image-root", [path], { env: { ...process.env, SOURCE_DATE_EPOCH: "1700000000" } });
  if (result.code !== 0) throw new CommandFailure(".ci/image-root", result);
}

async function digestOf(path: string): Promise<string> {
  const files = (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const names = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const hash = createHash("sha256");
  for (const name of names) hash.update(name.slice(path.length)).update(await readFile(name));
  return hash.digest("hex");
}

test("the image holds the program, its CRDs, the page of the dashboard, its licences and its bill of materials, the same each time", async () => {
  const image = join(folder.path, "image");
  expect((await readdir(join(image, "app"))).sort()).toEqual([
    "LICENSE",
    "LICENSES.dashboard.txt",
    "LICENSES.txt",
    "crds",
    "dashboard",
    "meridian.js",
    "sbom.cdx.json",
  ]);
  // `integration/bundles.test.ts` shows that the sandbox is no part of that program.
  const program = await readFile(join(REPOSITORY, "dist/meridian.js"));
  expect((await readFile(join(image, "app/meridian.js"))).equals(program)).toBe(true);
  await layOut(join(folder.path, "again"));
  expect(await digestOf(join(folder.path, "again"))).toBe(await digestOf(image));
});

test("two builds in two places give the same program, byte for byte", async () => {
  const digests = [];
  for (const place of ["one", "two"]) {
    const path = join(folder.path, place);
    await mkdir(join(path, "charts/meridian/files"), { recursive: true });
    const sources = ["src", "placements", "charts/meridian/files/crds", "package.json", "build.config.mjs", "LICENSE"];
    for (const source of sources) await cp(join(REPOSITORY, source), join(path, source), { recursive: true });
    await symlink(join(REPOSITORY, "node_modules"), join(path, "node_modules"));
    const result = await run(process.execPath, ["build.config.mjs"], { cwd: path });
    if (result.code !== 0) throw new CommandFailure("build.config.mjs", result);
    digests.push(await digestOf(join(path, "dist")));
  }
  expect(digests[1]).toBe(digests[0]);
});

test("the bill of materials names every package of the bundle, as CycloneDX demands", async () => {
  interface Part {
    type: string;
    "bom-ref": string;
    name: string;
    version: string;
    purl: string;
    licenses: ({ license: { id: string } } | { expression: string })[];
    hashes: { alg: string; content: string }[];
  }
  const bom = JSON.parse(await readFile(join(folder.path, "image/app/sbom.cdx.json"), "utf8")) as {
    metadata: { timestamp: string; component: Part };
    components: Part[];
    dependencies: { ref: string; dependsOn?: string[] }[];
  };
  const fields = ["$schema", "bomFormat", "components", "dependencies", "metadata", "specVersion", "version"];
  expect(Object.keys(bom).sort()).toEqual(fields);
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
  expect(bom.metadata.timestamp).toBe("2023-11-14T22:13:20Z");
  const program = await readFile(join(folder.path, "image/app/meridian.js"));
  expect(bom.metadata.component.hashes[0]?.content).toBe(createHash("sha256").update(program).digest("hex"));
  const names = bom.components.map(({ name }) => name);
  // What the program is built on is in the bundle; what only its tests need is not.
  expect(names).toEqual(expect.arrayContaining(["zod", "undici", "pino", "commander"]));
  for (const name of Object.keys(packageJson.devDependencies)) expect(names).not.toContain(name);
  for (const { hashes } of bom.components) expect(hashes[0]?.alg).toBe("SHA-512");
  const parts = [bom.metadata.component, ...bom.components];
  const lengths: Record<string, number> = { "SHA-256": 64, "SHA-512": 128 };
  for (const { type, name, version, purl, licenses, hashes } of parts) {
    expect(["application", "library"], name).toContain(type);
    expect(purl).toMatch(/^pkg:npm\/(%40[a-z0-9._-]+\/)?[a-z0-9._-]+@\d+\.\d+\.\d+\S*$/);
    expect(purl.endsWith(`@${version}`), name).toBe(true);
    for (const { alg, content } of hashes) expect(content).toMatch(new RegExp(`^[0-9a-f]{${lengths[alg] ?? 0}}$`));
    expect(licenses, name).toHaveLength(1);
    // Either identifiers of SPDX, or one expression of them: never both.
    const ids = licenses.flatMap((one) => ("license" in one ? one.license.id : one.expression.split(/[() ]|AND|OR/)));
    for (const id of ids.filter((text) => text !== "")) expect(SPDX, `${name}: ${id}`).toContain(id);
  }
  const refs = parts.map((part) => part["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  expect(bom.dependencies.map(({ ref }) => ref).sort()).toEqual(refs.toSorted());
  for (const { dependsOn = [] } of bom.dependencies) expect(refs).toEqual(expect.arrayContaining(dependsOn));
});

test("the Dockerfile starts what these tests start, as the user that the chart demands", async () => {
  const dockerfile = await readFile(join(REPOSITORY, "Dockerfile"), "utf8");
  expect(dockerfile).toContain('ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "/app/meridian.js"]');
  expect(dockerfile).toContain("USER 65532:65532");
  expect(packageJson.scripts.meridian).toContain("node --max-semi-space-size=8 dist/meridian.js");
});

describe.runIf(possible)("as user 65532 on a read-only root", () => {
  let hub: ControlPlane;

  beforeAll(async () => {
    hub = await startControlPlane({ name: "hub", controllerManager: false });
    const config = join(folder.path, "image/config");
    await run("mkdir", ["-p", config, join(folder.path, "root")]);
    await writeFile(join(config, "hub.kubeconfig"), hub.kubeconfig, { mode: 0o444 });
  });
  afterAll(async () => hub?.[Symbol.asyncDispose]());

  function contained(args: string[], url = ""): { command: string; args: string[] } {
    const places = [join(folder.path, "root"), join(folder.path, "image"), process.execPath, url];
    return {
      command: "unshare",
      args: ["--mount", "--propagation", "private", "sh", "-c", CONTAIN, "contain", ...places, ...args],
    };
  }

  async function inside(args: string[], url = ""): Promise<string> {
    const { command, args: all } = contained(args, url);
    const result = await run(command, all);
    if (result.code !== 0) throw new CommandFailure(args.join(" "), result);
    return result.stdout;
  }

  test("there is nothing to write to, nothing to gain and nothing of the project", async () => {
    const script = `
      const fs = require("node:fs");
      const status = fs.readFileSync("/proc/self/status", "utf8");
      const tried = ["/", "/app", "/config", "/nodejs"].map((folder) => {
        try { fs.writeFileSync(folder + "/x", ""); return "written"; } catch (error) { return error.code; }
      });
      console.log(JSON.stringify({
        tried, uid: process.getuid(), gid: process.getgid(), root: fs.readdirSync("/").sort(),
        capabilities: /CapEff:\\s*(\\S+)/.exec(status)[1], bounding: /CapBnd:\\s*(\\S+)/.exec(status)[1], noNewPrivs: /NoNewPrivs:\\s*(\\S+)/.exec(status)[1],
      }));`;
    const found = JSON.parse(await inside(["--eval", script])) as { tried: string[]; root: string[] };
    expect(found).toMatchObject({
      uid: 65532,
      gid: 65532,
      capabilities: "0000000000000000",
      bounding: "0000000000000000",
      noNewPrivs: "1",
    });
    expect(found.root.filter((name) => !["lib", "lib64", "usr"].includes(name))).toEqual([
      "app",
      "config",
      "dev",
      "nodejs",
      "proc",
    ]);
    for (const outcome of found.tried) expect(["EROFS", "EACCES"]).toContain(outcome);
  });

  test("it comes without the quickstart, and says so", async () => {
    const { command, args } = contained(["/app/meridian.js", "quickstart", "--once"]);
    const { code, stderr } = await run(command, args);
    expect(stderr).toContain("this copy of Meridian comes without the quickstart");
    expect(code).toBe(2);
  });

  test("it installs, it runs, and the chart's own test is content with it", async () => {
    const app = ["--max-semi-space-size=8", "/app/meridian.js"];
    const kubeconfig = ["--kubeconfig", "/config/hub.kubeconfig"];
    expect(await inside([...app, "--version"])).toContain(packageJson.version);
    expect(await inside([...app, "install", ...kubeconfig])).toContain("demoapplications.paas.cmft.com created");
    const port = await freePort();
    const { command, args } = contained([...app, "manager", ...kubeconfig, `--metrics-bind-address=127.0.0.1:${port}`]);
    const logFile = join(folder.path, "manager.log");
    await using manager = new ManagedProcess({ name: "meridian manager", command, args, logFile });
    const url = `http://127.0.0.1:${port}`;
    await manager.whileRunning((signal) =>
      eventually(
        async () =>
          expect(await (await fetch(`${url}/metrics`)).text()).toContain(
            'leader_election_master_status{name="meridian"} 1',
          ),
        { timeout: 30_000, signal },
      ),
    );
    const [test] = [...podsOf(await render())]
      .filter(([name]) => name.startsWith("Pod/"))
      .map(([, pod]) => pod.spec.containers[0]);
    const [node, ...options] = test?.command ?? [];
    expect(node).toBe("/nodejs/bin/node");
    const said = await inside([...options, ...(test?.args ?? [])], url);
    expect(said).toContain("/readyz answers 200");
    const { code } = await manager.stop(20_000);
    expect(code).toBe(0);
  });
});
