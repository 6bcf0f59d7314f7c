import { describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cmd/index.ts";
import { MANAGER_DEPLOYMENT, workloadObjects } from "../../src/cmd/workload/managerWorkload.ts";
import { NAMESPACE, render, type Rendered } from "./chart.ts";

/** `meridian install --manager` and the chart run the same managers: every field of theirs is compared, but for names and labels. */

const IMAGE = "registry.example.com/platform/meridian:1.2.3";
const KINDS = ["Deployment", "NetworkPolicy", "PodDisruptionBudget", "PriorityClass", "Service"];
const CONFIGURATION = "hooks";

const VALUES = [
  "image.registry=registry.example.com",
  "image.repository=platform/meridian",
  "image.tag=1.2.3",
  `fullnameOverride=${MANAGER_DEPLOYMENT}`,
  "leaderElection.leaseName=meridian",
  `priorityClass.name=${MANAGER_DEPLOYMENT}-${NAMESPACE}`,
  "imagePullSecrets[0].name=pull",
];

/** What the manager understands of its arguments, instead of how they are written. */
async function understood(args: readonly string[]): Promise<unknown> {
  let options: unknown;
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const terminal = { out: say, err: say, color: false, interactive: false };
  const code = await runCommandLine(
    args,
    { terminal, signal: AbortSignal.timeout(10_000), env: {} },
    async (verb, given) => {
      expect(verb).toBe("manager");
      [options] = given;
      return 0;
    },
  );
  expect(code, said.join("")).toBe(0);
  return options;
}

/** Labels are whose the objects are; everything else has to be equal. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === "labels" || key === "matchLabels" || key === "selector"
        ? [key, labels(inner as Record<string, unknown>)]
        : [key, plain(inner)],
    ),
  );
}

function labels(of: Record<string, unknown>): unknown {
  const inner = of["matchLabels"] as Record<string, unknown> | undefined;
  if (inner !== undefined) return { ...of, matchLabels: labels(inner) };
  return of["app.kubernetes.io/component"];
}

async function comparable(objects: readonly Rendered[]): Promise<Map<string, unknown>> {
  const wanted = objects.filter(({ kind }) => KINDS.includes(kind));
  const pairs = wanted.map(async (object): Promise<[string, unknown]> => {
    const copy = structuredClone(object) as unknown as {
      spec?: { template?: { spec: { serviceAccountName: string; containers: { args: unknown }[] } } };
    };
    const pod = copy.spec?.template?.spec;
    for (const container of pod?.containers ?? []) container.args = await understood(container.args as string[]);
    return [`${object.kind}/${object.metadata.name}`, plain(copy)];
  });
  return new Map((await Promise.all(pairs)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe("install and the chart run the same managers", () => {
  test.each([
    { name: "without webhooks", access: {}, values: ["webhooks.enabled=false"] },
    { name: "with webhooks", access: { webhookConfiguration: CONFIGURATION }, values: [] },
    { name: "one alone", access: {}, values: ["webhooks.enabled=false", "replicas=1"], replicas: 1 },
  ])("$name", async ({ access, values, replicas = 2 }) => {
    const objects = workloadObjects(
      { namespace: NAMESPACE, leaseName: "meridian", ...access },
      { image: IMAGE, imagePullSecrets: ["pull"], replicas },
    );
    const set = [...VALUES, "serviceAccount.name=meridian-manager", ...values].flatMap((value) => ["--set", value]);
    const rendered = JSON.stringify(await render(set)).replaceAll(
      `--webhook-configuration=${NAMESPACE}-${MANAGER_DEPLOYMENT}`,
      `--webhook-configuration=${CONFIGURATION}`,
    );
    const own = await comparable(objects as Rendered[]);
    expect(own).toEqual(await comparable(JSON.parse(rendered) as Rendered[]));
    expect(own.size).toBeGreaterThanOrEqual(4);
  });
});
