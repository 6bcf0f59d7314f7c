import { describe, expect, test } from "vitest";
import { ApiError } from "../runtime/index.ts";
import { CommandError } from "./shared/outcome.ts";
import { run } from "./testing/notingRun.ts";

describe("the options of a verb", () => {
  test("of manager have defaults", async () => {
    const { called, code } = await run("manager");
    expect(code).toBe(0);
    expect(called).toEqual([
      "manager",
      {
        logLevel: "info",
        namespace: "meridian-system",
        metricsPort: 8383,
        metricsHost: "0.0.0.0",
        leaderElect: true,
        leaseName: "meridian",
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
        reconcileTimeoutMs: 30_000,
        allowExecCredentials: false,
        identity: expect.stringMatching(/_[0-9a-f]{8}$/) as string,
      },
    ]);
  });

  test.each([
    { line: "manager --metrics-bind-address 127.0.0.1:9000", want: { metricsHost: "127.0.0.1", metricsPort: 9000 } },
    { line: "manager --metrics-bind-address :0", want: { metricsHost: "0.0.0.0", metricsPort: 0 } },
    { line: "manager --metrics-host ::1 --metrics-port 1", want: { metricsHost: "::1", metricsPort: 1 } },
    { line: "manager --leader-elect", want: { leaderElect: true } },
    { line: "manager --controller-class v2", want: { controllerClasses: ["v2"] } },
    {
      line: "manager --controller-class v2 --adopt-class default --adopt-class v1 --members-namespace first",
      want: { controllerClasses: ["v2", "default", "v1"], membersNamespace: "first" },
    },
    {
      line: "manager --protected-namespace vault --protected-namespace db",
      want: { protectedNamespaces: ["vault", "db"] },
    },
    { line: "manager --adopt-class v1", want: { controllerClasses: ["default", "v1"] } },
    { line: "manager --leader-elect=false", want: { leaderElect: false } },
    {
      line: "manager --lease-duration 6s --renew-deadline 4s --retry-period 500ms",
      want: { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 500 },
    },
    { line: "manager --reconcile-timeout 1m", want: { reconcileTimeoutMs: 60_000 } },
    {
      line: "manager --trace-ratio 0.1 --trace-span UpdateStatus=1 --trace-span ComputeTarget=.5",
      want: { sampling: { ratio: 0.1, spans: { UpdateStatus: 1, ComputeTarget: 0.5 } } },
    },
    {
      line: "manager --identity pod-1 --allow-exec-credentials --otlp-endpoint http://127.0.0.1:4318",
      want: { identity: "pod-1", allowExecCredentials: true, otlpEndpoint: "http://127.0.0.1:4318" },
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
    {
      line: "install --timeout 2m --dry-run",
      want: {
        timeout: 120_000,
        dryRun: true,
        namespace: "meridian-system",
        manager: { leaseName: "meridian", localMember: false, secretsOf: [] },
      },
    },
    {
      line: "install --webhooks --webhook-configuration hooks --local-member --secrets-of a --secrets-of b --secrets-of a",
      want: {
        manager: { webhookConfiguration: "hooks", localMember: true, secretsOf: ["a", "b"], leaseName: "meridian" },
      },
    },
    {
      line: "install --manager --image r.example.com:5000/p/meridian:0.1.0 --replicas 3 --image-pull-secret a --image-pull-secret b",
      want: {
        workload: { image: "r.example.com:5000/p/meridian:0.1.0", replicas: 3, imagePullSecrets: ["a", "b"] },
        manager: { leaseName: "meridian", localMember: false, secretsOf: [] },
      },
    },
    {
      line: `install --manager --image meridian@sha256:${"a".repeat(64)}`,
      want: { workload: { image: `meridian@sha256:${"a".repeat(64)}`, replicas: 2, imagePullSecrets: [] } },
    },
    {
      line: "uninstall",
      want: { objects: "Refuse", keepCrds: false, dryRun: false, yes: false, timeout: 600_000, leaseName: "meridian" },
    },
    { line: "uninstall --drain --keep-crds -y", want: { objects: "Drain", keepCrds: true, yes: true } },
    { line: "uninstall --orphan --dry-run --timeout 5s", want: { objects: "Orphan", dryRun: true, timeout: 5_000 } },
  ])("are read from: $line", async ({ line, want }) => {
    expect((await run(line)).called?.[1]).toMatchObject(want);
  });

  test("of join are read", async () => {
    const line =
      "join shanghai-1 --member-kubeconfig m.yaml --member-context c --region cn-shanghai --zone cn-shanghai-b --provider aliyun --label a=b --label c=d --taint x=y:NoExecute --kubeconfig hub.yaml";
    expect((await run(line)).called).toEqual([
      "join",
      "shanghai-1",
      {
        kubeconfig: "hub.yaml",
        logLevel: "info",
        namespace: "meridian-system",
        leaseName: "meridian",
        memberKubeconfig: "m.yaml",
        memberContext: "c",
        region: "cn-shanghai",
        zone: "cn-shanghai-b",
        provider: "aliyun",
        labels: { a: "b", c: "d" },
        taints: [{ key: "x", value: "y", effect: "NoExecute" }],
        renew: false,
        tokenLifetime: 86_400_000,
        dryRun: false,
        timeout: 60_000,
      },
    ]);
  });

  test("of join name the namespaces that the account never writes into", async () => {
    const line = "join a --member-kubeconfig m.yaml --protected-namespace vault --protected-namespace db";
    expect((await run(line)).called?.[2]).toMatchObject({ protectedNamespaces: ["vault", "db"] });
  });

  test.each([
    { flags: "--namespaces shop,bank", want: ["shop", "bank"] },
    { flags: "--namespaces shop --namespaces bank,shop", want: ["shop", "bank"] },
    { flags: "--namespaces *", want: ["*"] },
  ])("of join bound the account by $flags", async ({ flags, want }) => {
    const [, , options] = (await run(`join a --member-kubeconfig m.yaml ${flags}`)).called ?? [];
    expect(options).toMatchObject({ namespaces: want });
  });

  test("of join grant kinds", async () => {
    const line = "join a --member-kubeconfig m.yaml --kinds Ingress,mysqlclusters.mysql.presslabs.org --kinds Ingress";
    const [, , options] = (await run(line)).called ?? [];
    expect(options).toMatchObject({ kinds: ["Ingress", "mysqlclusters.mysql.presslabs.org"] });
    const { code, err } = await run("join a --member-kubeconfig m.yaml --kinds apps/v1");
    expect(code).toBe(2);
    expect(err).toContain("A kind looks like mysqlclusters.mysql.presslabs.org or Ingress");
  });

  test.each(["--region eu", "--zone eu-1", "--provider aliyun", "--label a=b", "--taint a=b:NoExecute"])(
    "of join --renew leave no place for %s, which would change the MemberCluster",
    async (flag) => {
      const { code, err, called } = await run(`join a --member-kubeconfig m.yaml --renew ${flag}`);
      expect({ code, called }).toEqual({ code: 2, called: undefined });
      expect(err).toContain(`leave out ${flag.split(" ")[0] ?? ""}; or leave out --renew`);
      expect((await run(`join a --member-kubeconfig m.yaml ${flag}`)).called?.[0]).toBe("join");
    },
  );

  test("of join ask for a token that lives as long as servers give", async () => {
    const join = "join a --member-kubeconfig m.yaml --dry-run --token-lifetime";
    const { code, err, called } = await run(`${join} 9m59s`);
    expect({ code, called }).toEqual({ code: 2, called: undefined });
    expect(err).toMatch(/'--token-lifetime <duration>' argument '9m59s' is invalid.* A token lives 10m or longer/);
    expect((await run(`${join} 10m`)).called?.[2]).toMatchObject({ tokenLifetime: 600_000 });
  });

  test.each([
    "--namespaces shop,*",
    "--namespaces * --namespaces shop",
    "--namespaces Shop",
    "--namespaces shop,,bank",
  ])("of join refuse %s", async (flags) => {
    const { code, err, called } = await run(`join a --member-kubeconfig m.yaml ${flags}`);
    expect({ code, called }).toEqual({ code: 2, called: undefined });
    expect(err).toMatch(/'\*' alone for the whole cluster|at most 63 lower-case letters/);
  });

  test.each([
    { line: "unjoin a", policy: "Orphan", isChosen: false },
    { line: "unjoin a --orphan", policy: "Orphan", isChosen: true },
    { line: "unjoin a --drain", policy: "Drain", isChosen: true },
  ])("of $line mean $policy", async ({ line, policy, isChosen }) => {
    expect((await run(line)).called).toMatchObject([
      "unjoin",
      "a",
      { deletionPolicy: policy, isChosen, timeout: 300_000, force: false, dryRun: false },
    ]);
  });

  test("of install name the kinds that the manager may read, and those whose status it may write", async () => {
    const line =
      "install --kinds services,mysqlclusters.mysql.presslabs.org --status-of mysqlclusters.mysql.presslabs.org";
    const [, options] = (await run(line)).called ?? [];
    expect(options).toMatchObject({
      manager: {
        kinds: [
          { group: "", plural: "services", status: false },
          { group: "mysql.presslabs.org", plural: "mysqlclusters", status: true },
        ],
      },
    });
  });

  test.each([
    { line: "install --kinds Service", says: "given by its plural and group" },
    { line: "install --status-of services", says: "give --kinds services" },
    { line: "install --crds-only --kinds services", says: "leave out" },
    { line: "install --replicas 3", says: "give --manager as well" },
  ])("of $line are refused", async ({ line, says }) => {
    const { code, err, called } = await run(line);
    expect({ code, called }).toEqual({ code: 2, called: undefined });
    expect(err).toContain(says);
  });

  test("of install --crds-only name no manager", async () => {
    const [, options] = (await run("install --crds-only")).called ?? [];
    expect(options).not.toHaveProperty("manager");
  });

  test("of install without --manager run none", async () => {
    const [, options] = (await run("install --webhooks")).called ?? [];
    expect(options).not.toHaveProperty("workload");
  });

  test.each([
    { line: "status", names: [], options: {} },
    { line: "status -A", names: [], options: { allNamespaces: true } },
    { line: "status -w", names: [], options: { watch: true } },
    { line: "status --watch -n shop", names: [], options: { watch: true, namespace: "shop" } },
    {
      line: "status web mc/m-1 -n shop -l tier=web -o wide",
      names: ["web", "mc/m-1"],
      options: { namespace: "shop", selector: "tier=web", output: "wide" },
    },
  ])("of $line are read", async ({ line, names, options }) => {
    expect((await run(line)).called).toEqual(["status", names, { logLevel: "info", watch: false, ...options }]);
  });
});

test.each([
  { line: "cordon a", want: ["cordon", "a", { dryRun: false }] },
  { line: "uncordon a --dry-run", want: ["uncordon", "a", { dryRun: true }] },
  { line: "drain a --timeout 90s", want: ["drain", "a", { dryRun: false, timeout: 90_000 }] },
  { line: "unjoin a --dry-run", want: ["unjoin", "a", { dryRun: true }] },
  { line: "version -o json", want: ["version", { output: "json" }] },
  { line: "completion zsh", want: ["completion", "zsh"] },
])("$line is read", async ({ line, want }) => {
  expect((await run(line)).called).toMatchObject(want);
});

test("the words for the shell are passed on as they are, also those that are wrong", async () => {
  const { called } = await run("__complete status --bogus -o");
  expect(called?.[2]).toEqual(["status", "--bogus", "-o"]);
});

describe("as a plugin of kubectl", () => {
  const plugin = (line: string, act?: () => number) => run(line, act, "kubectl meridian");

  test("the usage and the errors name the command as a person types it", async () => {
    expect((await plugin("--help")).out).toMatch(/^Usage: kubectl meridian \[options\]/);
    expect((await plugin("join --help")).out).toMatch(/^Usage: kubectl meridian join /);
    expect((await plugin("join")).err).toContain('(see "kubectl meridian join --help")');
    const failing = () => {
      throw new CommandError("nothing is installed: run `meridian install` first");
    };
    expect((await plugin("status", failing)).err).toBe(
      "meridian: nothing is installed: run `kubectl meridian install` first\n",
    );
  });
});

describe("the options of quickstart", () => {
  test("have defaults, and no cluster of the person is among them", async () => {
    expect((await run("quickstart")).called).toEqual([
      "quickstart",
      { logLevel: "info", once: false, json: false, timeout: 120_000, real: false, keep: false },
    ]);
  });

  test.each([
    { line: "quickstart --regions 12 --dir d --port 20000", want: { regions: 12, dir: "d", port: 20_000 } },
    { line: "quickstart --once --json --timeout 5m", want: { once: true, json: true, timeout: 300_000 } },
    { line: "quickstart --real --keep --log-level debug", want: { real: true, keep: true, logLevel: "debug" } },
    {
      line: "quickstart --kubeconfig hub=h.yaml,m1@eu=m.yaml",
      want: { given: { hub: "h.yaml", members: [{ name: "m1", kubeconfig: "m.yaml", region: "eu" }] } },
    },
  ])("are read from: $line", async ({ line, want }) => {
    expect((await run(line)).called?.[1]).toMatchObject(want);
  });
});

test.each(["--help", "help", "join --help", "--version"])("meridian %s is fine", async (line) => {
  const { code, out, err } = await run(line);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).not.toBe("");
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
