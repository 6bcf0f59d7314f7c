import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { eventually, startControlPlane } from "../envtest/index.ts";

/**
 * Writes src/sandbox/authorization/roles.json: the roles and bindings that a real API server and its controllers make for themselves. With
 * `--check` it writes nothing and fails when the file is not what that server says.
 */

const FILE = fileURLToPath(new URL("../../src/sandbox/authorization/roles.json", import.meta.url));
const GROUP = "/apis/rbac.authorization.k8s.io/v1";
const KINDS = {
  clusterroles: "ClusterRole",
  clusterrolebindings: "ClusterRoleBinding",
  roles: "Role",
  rolebindings: "RoleBinding",
} as const;

interface Item {
  metadata: { name: string; namespace?: string; labels?: unknown; annotations?: unknown };
  rules?: unknown[] | null;
  [field: string]: unknown;
}

/** The identities of controllers that the sandbox does not run as users of their own. */
const INTERNAL = "system:controller:";

function cut(kind: string, { metadata, ...rest }: Item) {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    ...rest,
  };
}

async function generate() {
  await using plane = await startControlPlane({ name: "roles" });
  // The controller that fills aggregated roles has done it by then.
  await eventually(
    async () => {
      const admin = await plane.api.get<Item>(`${GROUP}/clusterroles/admin`);
      if ((admin.rules ?? []).length === 0) throw new Error("admin has no rules yet");
    },
    { timeout: 60_000, message: "aggregated roles" },
  );
  const lists = await Promise.all(
    Object.entries(KINDS).map(async ([plural, kind]) => {
      const items = await plane.api.list<Item>(`${GROUP}/${plural}`);
      return items.filter(({ metadata }) => !metadata.name.startsWith(INTERNAL)).map((item) => cut(kind, item));
    }),
  );
  return lists.flat();
}

const generated = await generate();
if (!process.argv.includes("--check")) {
  await writeFile(FILE, `${JSON.stringify(generated, undefined, 2)}\n`);
} else if (!isDeepStrictEqual(JSON.parse(await readFile(FILE, "utf8")), generated)) {
  process.stderr.write(
    "src/sandbox/authorization/roles.json differs from what the API server says; generate it again\n",
  );
  process.exitCode = 1;
}
