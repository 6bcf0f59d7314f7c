import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import type { DemoApplication } from "../../src/apis/index.ts";
import { freePort, ManagedProcess, temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { clusterPlacement } from "../builders/index.ts";
import { eventually, type Fleet, kubectl, meridianOk, REPOSITORY, startFleet } from "../envtest/index.ts";
import { BASE_IMAGE, BUILD_IMAGE, Buildah, whyNoImage } from "./standIns.ts";

/**
 * The image as `npm run image` builds it from the Dockerfile, run as a kubelet would: as its user, without a privilege, on a root that cannot be
 * written, with the arguments of the Deployment that `meridian install --manager` makes.
 */
const why = await whyNoImage();
if (why !== undefined) process.stderr.write(`the image is not built here: ${why}\n`);

const IMAGE = `localhost/meridian:${packageJson.version}`;
const NAMESPACE = "meridian-system";
const MEGABYTE = 1_000_000;
const MOST_BYTES = 6 * MEGABYTE;

/** $1: root of the image; $2: a folder with the kubeconfig; $3: user; the rest: what to run there. The process in the end is the program itself. */
const CONTAIN = `
set -eu
root=$1 config=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount --bind "$config" "$root/mnt"
mount -o remount,bind,ro "$root/mnt"
mount -t tmpfs tmpfs "$root/dev"
for device in null urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount --rbind /proc "$root/proc"
mount -o remount,ro "$root/dev"
mount -o remount,bind,ro "$root"
exec env -i POD_NAME=meridian-0 "$(command -v chroot)" "$root" /usr/bin/setpriv --no-new-privs --bounding-set=-all --inh-caps=-all \\
  --reuid "\${user%:*}" --regid "\${user#*:}" --clear-groups "$@"
`;

interface Config {
  User: string;
  Entrypoint: string[];
  Labels: Record<string, string>;
}

describe.skipIf(why !== undefined)("the image", () => {
  let folder: AsyncDisposable & { path: string };
  let buildah: Buildah;
  let fleet: Fleet;
  let config: Config;
  /** What is in the image. */
  let root: string;
  let buildSeconds: number;

  beforeAll(async () => {
    folder = await temporaryFolder("meridian-built-image-");
    buildah = await Buildah.in(folder.path);
    await buildah.makeStandIns();
    const bases = ["--base-image", BASE_IMAGE, "--build-image", BUILD_IMAGE];
    const begun = Date.now();
    await buildah.run(process.execPath, [".ci/image.mjs", "--engine", "buildah", "--tag", IMAGE, ...bases]);
    buildSeconds = Math.round((Date.now() - begun) / 1000);
    const inspected = JSON.parse(await buildah.ok("inspect", "--type", "image", IMAGE)) as {
      OCIv1: { config: Config };
    };
    config = inspected.OCIv1.config;
    root = await buildah.ok("mount", await buildah.ok("from", "--pull-never", IMAGE));
    fleet = await startFleet({ members: [{ name: "eu-central-1", region: "eu-central-1" }] });
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await buildah?.ok("rm", "--all");
    await folder?.[Symbol.asyncDispose]();
  });

  test("holds the program beside its base and nothing of the project, in 6 MB", async () => {
    expect(config.User).toBe("65532:65532");
    expect(config.Labels).toMatchObject({ "org.opencontainers.image.version": packageJson.version });
    const app = join(root, "app");
    expect((await readdir(app)).sort()).toEqual(["LICENSE", "LICENSES.txt", "crds", "meridian.js", "sbom.cdx.json"]);
    // `integration/bundles.test.ts` shows that the sandbox is no part of that program.
    const program = await readFile(join(REPOSITORY, "dist/meridian.js"));
    expect((await readFile(join(app, "meridian.js"))).equals(program)).toBe(true);
    const bytes = await bytesBelow(app);
    process.stdout.write(`image: ${(bytes / MEGABYTE).toFixed(1)} MB beside the base, built in ${buildSeconds} s\n`);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  test("runs with the arguments that install gives it, and places the sample on a member", async () => {
    await meridianOk(fleet.hub, ["install", "--manager", "--image", IMAGE]);
    const path = "jsonpath={.spec.template.spec.containers[0]}";
    const container = JSON.parse(
      await kubectl(fleet.hub, ["get", "deployment", "meridian-manager", "-n", NAMESPACE, "-o", path]),
    ) as { image: string; args: string[] };
    expect(container.image).toBe(IMAGE);
    const token = await kubectl(fleet.hub, ["create", "token", "meridian-manager", "-n", NAMESPACE]);
    const mounted = join(folder.path, "config");
    await mkdir(mounted, { recursive: true });
    // Readable by the user of the image only because nobody else is on this machine's loopback.
    await writeFile(join(mounted, "kubeconfig"), fleet.hub.kubeconfigFor({ token: token.trim() }), { mode: 0o444 });
    const port = await freePort();
    const args = container.args.map((argument) => argument.replace("$(POD_NAME)", "meridian-0"));
    const own = ["--kubeconfig=/mnt/kubeconfig", `--metrics-bind-address=127.0.0.1:${port}`];
    const program = [...config.Entrypoint, ...args, ...own];
    const contained = ["-c", CONTAIN, "contain", root, mounted, config.User, ...program];
    const begun = Date.now();
    const since = (): string => `${((Date.now() - begun) / 1000).toFixed(1)} s`;
    await using manager = new ManagedProcess({
      name: "meridian manager",
      command: "unshare",
      args: ["--mount", "--propagation", "private", "sh", ...contained],
      logFile: join(folder.path, "manager.log"),
    });
    const reached: string[] = [];
    const when = async (what: string, check: () => Promise<void>): Promise<void> => {
      await manager.whileRunning((signal) => eventually(check, { timeout: 60_000, interval: 50, signal }));
      reached.push(`${what} after ${since()}`);
    };
    await when("ready", async () => {
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    });
    await when("leading", async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(metrics).toContain('leader_election_master_status{name="meridian"} 1');
    });
    const { kubeconfigFile } = fleet.member("eu-central-1").plane;
    await meridianOk(fleet.hub, [
      "join",
      "eu-central-1",
      "--region",
      "eu-central-1",
      "--member-kubeconfig",
      kubeconfigFile,
    ]);
    reached.push(`the member joined after ${since()}`);
    const everywhere = JSON.stringify(clusterPlacement("everywhere").object());
    await kubectl(fleet.hub, ["apply", "-f", "-"], { stdin: everywhere });
    await kubectl(fleet.hub, ["apply", "-f", join(REPOSITORY, "placements/nginx-demo.yaml")]);
    await when("the sample available", async () => {
      const text = await kubectl(fleet.hub, ["get", "demoapplication", "nginx-demo", "-o", "json"]);
      const { status } = JSON.parse(text) as DemoApplication;
      expect(status?.clusters).toMatchObject([{ name: "eu-central-1", state: "Available" }]);
      expect(status?.replicas).toMatchObject({ desired: 2, ready: 2 });
    });
    process.stdout.write(`image: ${reached.join(", ")}\n`);
    const { code } = await manager.stop(20_000);
    expect(code, await manager.logTail()).toBe(0);
  });
});

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
