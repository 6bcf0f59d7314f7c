import { describe, expect, test } from "vitest";
import { ApiError } from "../runtime/index.ts";
import { CommandError } from "./shared/outcome.ts";
import { run } from "./testing/notingRun.ts";

const HUB = { logLevel: "info" };
const MERIDIAN = { ...HUB, namespace: "meridian-system", leaseName: "meridian" };
const JOIN = "join a --member-kubeconfig m.yaml";
const ACCESS = { leaseName: "meridian", localMember: false, secretsOf: [] };
const WEBHOOKS = { port: 9443, configuration: "meridian", overlapMs: 600_000 };

describe("without flags, a verb gets the defaults", () => {
  test.each<{ line: string; want: unknown[] }>([
    {
      line: "manager",
      want: [
        {
          ...MERIDIAN,
          metricsPort: 8383,
          queries: {},
          metricsHost: "0.0.0.0",
          leaderElect: true,
          leaseDurationMs: 15_000,
          renewDeadlineMs: 10_000,
          retryPeriodMs: 2_000,
          concurrency: { least: 2, most: 32 },
          reconcileTimeoutMs: 30_000,
          objectives: { propagatedMs: 30_000, freshMs: 60_000 },
          allowExecCredentials: false,
          identity: expect.stringMatching(/_[0-9a-f]{8}$/) as string,
        },
      ],
    },
    {
      line: "install",
      want: [{ ...HUB, namespace: "meridian-system", manager: ACCESS, timeout: 60_000, dryRun: false }],
    },
    { line: "install --crds-only", want: [{ ...HUB, namespace: "meridian-system", timeout: 60_000, dryRun: false }] },
    {
      line: "uninstall",
      want: [{ ...MERIDIAN, objects: "Refuse", keepCrds: false, dryRun: false, yes: false, timeout: 600_000 }],
    },
    {
      line: JOIN,
      want: [
        "a",
        {
          ...MERIDIAN,
          memberKubeconfig: "m.yaml",
          labels: {},
          taints: [],
          renew: false,
          tokenLifetime: 86_400_000,
          dryRun: false,
          timeout: 60_000,
        },
      ],
    },
    {
      line: "unjoin a",
      want: [
        "a",
        { ...MERIDIAN, deletionPolicy: "Orphan", isChosen: false, force: false, dryRun: false, timeout: 300_000 },
      ],
    },
    { line: "cordon a", want: ["a", { ...HUB, dryRun: false }] },
    { line: "uncordon a", want: ["a", { ...HUB, dryRun: false }] },
    { line: "drain a", want: ["a", { ...HUB, dryRun: false, yes: false, timeout: 600_000 }] },
    { line: "rollout status a", want: ["a", { ...HUB, watch: false, timeout: 1_800_000 }] },
    { line: "rollout approve a", want: ["a", HUB] },
    { line: "status", want: [[], { ...HUB, source: "auto", watch: false, wait: false, timeout: 300_000 }] },
    { line: "get demo", want: ["demo", { ...HUB, source: "auto", clusters: false }] },
    { line: "tree a", want: ["a", { ...HUB, source: "auto" }] },
    { line: "timeline a", want: ["a", { ...HUB, source: "auto", fleet: false, watch: false }] },
    { line: "timeline --fleet", want: [undefined, { ...HUB, source: "auto", fleet: true, watch: false }] },
    { line: "logs a", want: ["a", { ...HUB, systemNamespace: "meridian-system", follow: false, previous: false }] },
    { line: "support-bundle", want: [{ ...MERIDIAN, leaseName: "meridian", output: "meridian-support.tar.gz" }] },
    { line: "why a", want: ["a", { ...HUB, source: "auto", systemNamespace: "meridian-system" }] },
    {
      line: "plan",
      want: [
        {
          ...HUB,
          systemNamespace: "meridian-system",
          ...{ filename: [], policy: [], without: [], cordon: [], drain: [], from: [] },
          ...{ recursive: false, serverSide: false, withoutHub: false, hubOnly: false },
        },
      ],
    },
    { line: "check", want: [{ ...MERIDIAN, leaseName: "meridian", hubOnly: false }] },
    {
      line: "analyze -f a -f b -R",
      want: [{ ...HUB, filename: ["a", "b"], from: [], recursive: true, withoutHub: false }],
    },
    {
      line: "explain",
      want: [
        undefined,
        { ...HUB, systemNamespace: "meridian-system", withoutHub: false, filename: [], recursive: false },
      ],
    },
    {
      line: "bundle create a --helm c",
      want: ["a", { ...HUB, namespace: "default", helm: "c", values: [], filename: [], crds: false, apply: false }],
    },
    { line: "version", want: [HUB] },
    { line: "completion zsh", want: ["zsh", HUB] },
    {
      line: "quickstart",
      want: [{ ...HUB, once: false, json: false, timeout: 120_000, real: false, keep: false }],
    },
  ])("$line", async ({ line, want }) => {
    const { called, code } = await run(line);
    const words = line.split(" ");
    const verb = ["rollout", "bundle"].includes(words[0] ?? "") ? words.slice(0, 2).join(" ") : words[0];
    expect({ called, code }).toEqual({ called: [verb, ...want], code: 0 });
  });
});

describe("the options of a verb are read from its flags", () => {
  test.each<{ line: string; want: object }>([
    { line: "manager --metrics-bind-address 127.0.0.1:9000", want: { metricsHost: "127.0.0.1", metricsPort: 9000 } },
    { line: "manager --query-members", want: { queries: { members: true } } },
    { line: "manager --query-api=false", want: { queries: undefined } },
    {
      line: "manager --webhooks --webhook-url https://192.0.2.7:9443 --query-port 9444 --query-advertise-host 10.0.0.7",
      want: { queries: { port: 9444, advertiseHost: "10.0.0.7" } },
    },
    { line: "manager --metrics-bind-address :0", want: { metricsHost: "0.0.0.0", metricsPort: 0 } },
    { line: "manager --metrics-bind-address [::1]:80", want: { metricsHost: "::1", metricsPort: 80 } },
    { line: "manager --metrics-host ::1 --metrics-port 1", want: { metricsHost: "::1", metricsPort: 1 } },
    {
      line: "manager --min-concurrent-reconciles 4 --max-concurrent-reconciles 4",
      want: { concurrency: { least: 4, most: 4 } },
    },
    { line: "manager --leader-elect", want: { leaderElect: true } },
    { line: "manager --leader-elect=false", want: { leaderElect: false } },
    { line: "manager --controller-class v2", want: { controllerClasses: ["v2"] } },
    { line: "manager --controller-class=", want: { controllerClasses: ["default"] } },
    {
      line: "manager --controller-class v2 --adopt-class default --adopt-class v1 --adopt-class v1 --members-namespace first",
      want: { controllerClasses: ["v2", "default", "v1"], membersNamespace: "first" },
    },
    { line: "manager --adopt-class v1", want: { controllerClasses: ["default", "v1"] } },
    {
      line: "manager --protected-namespace vault --protected-namespace db",
      want: { protectedNamespaces: ["vault", "db"] },
    },
    {
      line: "manager --lease-duration 6s --renew-deadline 4s --retry-period 500ms --reconcile-timeout 1m",
      want: { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 500, reconcileTimeoutMs: 60_000 },
    },
    {
      line: "manager --trace-ratio 0.1 --trace-span UpdateStatus=1 --trace-span ComputeTarget=.5",
      want: { sampling: { ratio: 0.1, spans: { UpdateStatus: 1, ComputeTarget: 0.5 } } },
    },
    {
      line: "manager --otlp-signals logs,traces --otlp-metric-interval 15s --operations-log=stdout --audit-log=/a",
      want: {
        otlpSignals: ["traces", "logs"],
        metricIntervalMs: 15_000,
        records: { operationsLog: "stdout", auditLog: "/a" },
      },
    },
    {
      line: "manager --identity pod-1 --allow-exec-credentials --otlp-endpoint http://127.0.0.1:4318",
      want: { identity: "pod-1", allowExecCredentials: true, otlpEndpoint: "http://127.0.0.1:4318" },
    },
    {
      line: "manager --webhooks --webhook-service a/b --webhook-cert-dir d --webhook-ca-overlap 1m",
      want: {
        webhooks: {
          ...WEBHOOKS,
          target: { kind: "Service", namespace: "a", name: "b", port: 443 },
          certDir: "d",
          overlapMs: 60_000,
        },
      },
    },
    {
      line: "manager --webhooks --webhook-url https://[::1]:9443/hooks/ --webhook-port 0",
      want: { webhooks: { ...WEBHOOKS, port: 0, target: { kind: "Url", url: "https://[::1]:9443/hooks" } } },
    },
    {
      line: "manager --prometheus-url http://p.o11y.svc:9090/",
      want: { prometheus: { url: "http://p.o11y.svc:9090" } },
    },
    {
      line: "manager --prometheus-url https://p.o11y.svc/x --prometheus-ca-file ca.crt --prometheus-token-file token",
      want: { prometheus: { url: "https://p.o11y.svc/x", caFile: "ca.crt", tokenFile: "token" } },
    },
    {
      line: "manager --kubeconfig hub.yaml --context c -n other --log-level debug",
      want: { kubeconfig: "hub.yaml", context: "c", namespace: "other", logLevel: "debug" },
    },
    { line: "--kubeconfig hub.yaml manager", want: { kubeconfig: "hub.yaml" } },
    { line: "install --timeout 2m --dry-run", want: { timeout: 120_000, dryRun: true } },
    {
      line: "install --webhooks --webhook-configuration hooks --local-member --secrets-of a --secrets-of b --secrets-of a",
      want: { manager: { ...ACCESS, webhookConfiguration: "hooks", localMember: true, secretsOf: ["a", "b"] } },
    },
    {
      line: "install --kinds services,mysqlclusters.mysql.presslabs.org --status-of mysqlclusters.mysql.presslabs.org",
      want: {
        manager: {
          ...ACCESS,
          kinds: [
            { group: "", plural: "services", status: false },
            { group: "mysql.presslabs.org", plural: "mysqlclusters", status: true },
          ],
        },
      },
    },
    {
      line: "install --kinds * --status-of services",
      want: { manager: { ...ACCESS, kinds: [{ group: "*", plural: "*", status: false }] } },
    },
    {
      line: "install --manager --image r.example.com:5000/p/meridian:0.1.0 --replicas 3 --image-pull-secret a --image-pull-secret b",
      want: { workload: { image: "r.example.com:5000/p/meridian:0.1.0", replicas: 3, imagePullSecrets: ["a", "b"] } },
    },
    {
      line: `install --manager --image meridian@sha256:${"a".repeat(64)}`,
      want: { workload: { image: `meridian@sha256:${"a".repeat(64)}`, replicas: 2, imagePullSecrets: [] } },
    },
    { line: "uninstall --drain --keep-crds -y", want: { objects: "Drain", keepCrds: true, yes: true } },
    { line: "uninstall --orphan --dry-run --timeout 5s", want: { objects: "Orphan", dryRun: true, timeout: 5_000 } },
    {
      line: `${JOIN} --member-context c --region cn-shanghai --zone cn-shanghai-b --provider aliyun --kubeconfig hub.yaml`,
      want: {
        memberContext: "c",
        region: "cn-shanghai",
        zone: "cn-shanghai-b",
        provider: "aliyun",
        kubeconfig: "hub.yaml",
      },
    },
    {
      line: `${JOIN} --label tier=core --label example.com/owner=sre --label tier=edge --label spot=`,
      want: { labels: { tier: "edge", "example.com/owner": "sre", spot: "" } },
    },
    {
      line: `${JOIN} --taint x=y:NoExecute --taint example.com/gpu:NoSchedule --taint spot=:PreferNoSchedule`,
      want: {
        taints: [
          { key: "x", value: "y", effect: "NoExecute" },
          { key: "example.com/gpu", effect: "NoSchedule" },
          { key: "spot", value: "", effect: "PreferNoSchedule" },
        ],
      },
    },
    {
      line: `${JOIN} --protected-namespace vault --protected-namespace db`,
      want: { protectedNamespaces: ["vault", "db"] },
    },
    { line: `${JOIN} --namespaces shop --namespaces bank,shop`, want: { namespaces: ["shop", "bank"] } },
    { line: `${JOIN} --namespaces *`, want: { namespaces: ["*"] } },
    {
      line: `${JOIN} --kinds Ingress,mysqlclusters.mysql.presslabs.org --kinds Ingress`,
      want: { kinds: ["Ingress", "mysqlclusters.mysql.presslabs.org"] },
    },
    { line: `${JOIN} --allow-protected kube-system/Role`, want: { allowProtected: ["kube-system/Role"] } },
    { line: `${JOIN} --pod-logs`, want: { podLogs: true } },
    { line: `${JOIN} --pod-logs=false`, want: { podLogs: false } },
    { line: `${JOIN} --allow-protected none`, want: { allowProtected: [] } },
    { line: `${JOIN} --renew --token-lifetime 10m`, want: { renew: true, tokenLifetime: 600_000 } },
    { line: "unjoin a --orphan --dry-run", want: { deletionPolicy: "Orphan", isChosen: true, dryRun: true } },
    { line: "unjoin a --drain", want: { deletionPolicy: "Drain", isChosen: true } },
    { line: "drain a --timeout 90s", want: { timeout: 90_000 } },
    { line: "rollout undo a --to-revision 7", want: { toRevision: 7 } },
    { line: "status -A -w", want: { allNamespaces: true, watch: true } },
    {
      line: "status web mc/m-1 -n shop -l tier=web -o wide",
      want: { namespace: "shop", selector: "tier=web", output: "wide" },
    },
    { line: "plan -f a -f b --drain c --drain d", want: { filename: ["a", "b"], drain: ["c", "d"] } },
    { line: "version -o json", want: { output: "json" } },
    { line: "quickstart --regions 12 --dir d --port 20000", want: { regions: 12, dir: "d", port: 20_000 } },
    { line: "quickstart --once --json --timeout 5m", want: { once: true, json: true, timeout: 300_000 } },
    { line: "quickstart --real --keep --log-level debug", want: { real: true, keep: true, logLevel: "debug" } },
    {
      line: "quickstart --kubeconfig hub=h.yaml,m1=m1.yaml,m2@eu=/x/m2=2.yaml",
      want: {
        given: {
          hub: "h.yaml",
          members: [
            { name: "m1", kubeconfig: "m1.yaml" },
            { name: "m2", kubeconfig: "/x/m2=2.yaml", region: "eu" },
          ],
        },
      },
    },
  ])("$line", async ({ line, want }) => {
    const { called, err } = await run(line);
    expect(err).toBe("");
    const options = called?.at(-1) as Record<string, unknown>;
    expect(Object.fromEntries(Object.keys(want).map((key) => [key, options[key]]))).toEqual(want);
  });
});

test("arguments that may be repeated are a list", async () => {
  expect((await run("status web mc/m-1")).called?.[1]).toEqual(["web", "mc/m-1"]);
});

test("as a plugin of kubectl the usage and the errors name the command as a person types it", async () => {
  const plugin = (line: string, act?: () => number) => run(line, act, "kubectl meridian");
  expect((await plugin("join --help")).out).toMatch(/^Usage: kubectl meridian join /);
  expect((await plugin("join")).err).toContain('(see "kubectl meridian join --help")');
  const failing = () => {
    throw new CommandError("nothing is installed: run `meridian install` first");
  };
  const want = "meridian: nothing is installed: run `kubectl meridian install` first\n";
  expect((await plugin("status", failing)).err).toBe(want);
});

test.each(["--help", "help", "join --help", "rollout --help", "--version"])("meridian %s is fine", async (line) => {
  const { code, out, err } = await run(line);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).not.toBe("");
});

test("an unfinished command line is completed, also one that is wrong", async () => {
  const { code, out, err, called } = await run("__complete status --bogus -o");
  expect({ code, out, err, called }).toEqual({ code: 0, out: ":4\n", err: "", called: undefined });
});

describe("the exit code", () => {
  test.each([0, 1, 3])("is the verb's: %d", async (code) => {
    expect((await run("status", () => code)).code).toBe(code);
  });

  const failing = (error: Error) => () => {
    throw error;
  };

  test("of a timeout is 3, with the reason in one line and without a stack", async () => {
    const { code, err } = await run("install", failing(new CommandError("not served in time", { exitCode: 3 })));
    expect({ code, err }).toEqual({ code: 3, err: "meridian: not served in time\n" });
  });

  test("of any other error is 2, and a refusal says what is missing", async () => {
    const { code, err } = await run("status", failing(new ApiError(403, "Forbidden", "demoapplications is forbidden")));
    expect(code).toBe(2);
    expect(err).toBe(
      "meridian: demoapplications is forbidden (this needs more rights on the cluster than the kubeconfig's user has)\n",
    );
  });

  test("comes with a stack only for those who debug", async () => {
    const error = new Error("broken");
    expect((await run("status", failing(error))).err).not.toContain("index.test.ts");
    expect((await run("status --log-level debug", failing(error))).err).toContain("index.test.ts");
    expect((await run("--log-level=trace status", failing(error))).err).toContain("index.test.ts");
  });

  test("an error that quotes a credential does not print it", async () => {
    const { err } = await run("status", failing(new Error("header Bearer abc.def.ghi refused")));
    expect(err).not.toContain("abc.def.ghi");
  });
});
