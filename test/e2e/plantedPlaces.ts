import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { type Api, meridian, type Plane } from "../envtest/index.ts";
import { application, IN_OBJECTS, VALUES } from "./plantedObjects.ts";
import type { Place } from "./plantedValues.ts";
import { secret } from "./objects.ts";

interface Resource {
  name: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
}

/** Objects whose spec people write. What they wrote there is theirs; the rest of these objects is not. */
const OF_PEOPLE = new Set(["DemoApplication", "OverridePolicy", "ManifestBundle"]);
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Every object of a cluster that can be listed, but the Secrets: by path of its collection. */
export async function objectsOf(api: Api): Promise<Map<string, string>> {
  const { groups } = await api.get<{ groups: { preferredVersion: { groupVersion: string } }[] }>("/apis");
  const roots = ["/api/v1", ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const found = new Map<string, string>();
  for (const root of roots) {
    const { resources } = await api.get<{ resources: Resource[] }>(root);
    for (const { name, kind, verbs } of resources) {
      if (name.includes("/") || !verbs.includes("list") || name === "secrets") continue;
      const objects = await api.list<KubeObject>(`${root}/${name}`);
      if (objects.length === 0) continue;
      const shown = objects.map((object) => (OF_PEOPLE.has(kind) ? withoutSpec(object) : object));
      found.set(`${root}/${name}`, JSON.stringify(shown));
    }
  }
  return found;
}

function withoutSpec({ spec: _, ...object }: KubeObject & { spec?: unknown }): object {
  const { annotations = {}, ...metadata } = object.metadata;
  const { [LAST_APPLIED]: _noted, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, annotations: kept } };
}

/**
 * What the commands print about the objects. `plan` and `explain` show fields of the objects that people wrote; values
 * of Secrets are none.
 */
export async function outputs(hub: Plane, folder: string, namespace: string): Promise<Map<string, Place>> {
  const file = join(folder, "planned.json");
  const changed = secret(namespace, "db", { word: VALUES.planned.text });
  const placed = secret(namespace, "placed", { word: VALUES.planned.text });
  const items = [changed, placed, application(namespace, `${VALUES.env.text}2`)];
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const archive = join(folder, "support.tar.gz");
  const found = new Map<string, Place>();
  for (const line of linesFor(namespace)) {
    const args = line.split(" ").map((word) => (word === "FILE" ? file : word === "ARCHIVE" ? archive : word));
    const { code, stdout, stderr } = await meridian(hub, args);
    expect([0, 1], `${line}: ${stderr}`).toContain(code);
    const shows = /^(plan|explain|why|analyze)/.test(line);
    found.set(`meridian ${line}`, { text: `${stdout}\n${stderr}`, ...(shows ? { own: IN_OBJECTS } : {}) });
  }
  found.set("the support bundle", { text: gunzipSync(await readFile(archive)).toString("utf8") });
  return found;
}

function linesFor(namespace: string): string[] {
  const within = `-n ${namespace}`;
  const objects = ["shop", "secret/placed", "secret/patched", "secret/misfit", "manifestbundle/parts"];
  const databases = "mysqlcluster.mysql.presslabs.org/my-db";
  return [
    ...["query", "objects"].flatMap((source) => [
      `status -A --source ${source}`,
      `status -A -o wide --source ${source}`,
      `get demoapplication --clusters ${within} -o wide --source ${source}`,
      `describe demoapplication/shop ${within} --source ${source}`,
    ]),
    "status -A -o json",
    "get secret --clusters -o json",
    ...[...objects, databases].flatMap((object) => [
      `describe ${object} ${within} -o yaml`,
      `why ${object} ${within} -o yaml`,
      `explain ${object} ${within} -o yaml`,
    ]),
    `explain shop ${within} -o wide`,
    ...["shop", "secret/placed", "secret/misfit"].map((object) => `explain ${object} ${within} --cluster shanghai-1`),
    `why shop ${within} --cluster singapore-1`,
    `tree shop ${within}`,
    `events shop ${within} -o yaml`,
    `timeline shop ${within} -o json`,
    "timeline --fleet -o json",
    "describe membercluster/spare-1 -o yaml",
    `plan -f FILE ${within}`,
    `plan -f FILE ${within} -o json`,
    `plan -f FILE ${within} -o json --hub-only --server-side`,
    `analyze -f FILE ${within} -o json`,
    "check",
    "check -o json",
    "support-bundle -o ARCHIVE",
  ];
}
