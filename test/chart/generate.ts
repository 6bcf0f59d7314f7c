/**
 * Writes what the chart has from elsewhere: the table of values in REFERENCE.md, the webhook configurations from src/webhooks, the pods from
 * src/cmd, the dashboards from test/chart/dashboards. With `--check` it writes nothing, and fails when a file is not what it would write.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { MANAGER_POD } from "../../src/cmd/workload/managerPod.ts";
import { webhookConfigurations } from "../../src/webhooks/configurations.ts";
import { withBlocks } from "../../src/apis/reference/index.ts";
import { dashboardFiles } from "./dashboards/index.ts";
import { valuesTable } from "./values.ts";

const CHART = join(import.meta.dirname, "../../charts/meridian");

/** The chart knows better where the Service is. */
const TARGET = { kind: "Service", namespace: "", name: "", port: 443 } as const;

function generatedWebhooks(): string {
  const header = "# Generated from src/webhooks by test/chart/generate.ts. Do not edit.\n";
  const configurations = webhookConfigurations("meridian", TARGET).map(({ metadata: _, ...rest }) => rest);
  return header + stringify({ configurations }, { aliasDuplicateObjects: false, lineWidth: 0 });
}

function generatedPod(): string {
  const header = "# Generated from src/cmd/workload/managerPod.ts by test/chart/generate.ts. Do not edit.\n";
  return header + stringify(MANAGER_POD, { aliasDuplicateObjects: false, lineWidth: 0 });
}

const wanted: Record<string, string> = {
  "REFERENCE.md": withBlocks(await readFile(join(CHART, "REFERENCE.md"), "utf8"), {
    values: valuesTable(await readFile(join(CHART, "values.yaml"), "utf8")),
  }),
  "files/webhooks.yaml": generatedWebhooks(),
  "files/manager.yaml": generatedPod(),
  ...Object.fromEntries(Object.entries(dashboardFiles()).map(([name, text]) => [`files/dashboards/${name}`, text])),
};

async function present(file: string): Promise<string | undefined> {
  return readFile(join(CHART, file), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

for (const [file, text] of Object.entries(wanted)) {
  if ((await present(file)) === text) continue;
  if (process.argv.includes("--check")) {
    console.error(`charts/meridian/${file} is not up to date; run \`node test/chart/generate.ts\``);
    process.exitCode = 1;
  } else {
    await writeFile(join(CHART, file), text);
    console.log(`wrote charts/meridian/${file}`);
  }
}
