import { describe, expect, test } from "vitest";
import { run } from "../testing/notingRun.ts";

describe("wrong usage", () => {
  test.each([
    { line: "quickstart --kubeconfig hub.yaml", says: /looks like hub=FILE/ },
    { line: "quickstart --json", says: /--json .* give --once/ },
    { line: "quickstart --regions none", says: /a number, 1 or more/ },
    { line: "stauts", says: /unknown command 'stauts'.*status/ },
    { line: "get", says: /unknown command 'get': .*`meridian status`.*\(see "meridian --help"\)/ },
    { line: "logs x", says: /unknown command 'logs': .*`kubectl .* logs/ },
    { line: "diff -f x", says: /unknown command 'diff': .*`meridian plan -f FILE`/ },
    { line: "check", says: /unknown command 'check': .*`meridian status`/ },
    { line: "clusters", says: /unknown command 'clusters': .*memberclusters/ },
    { line: "status --bogus", says: /unknown option '--bogus'/ },
    { line: "status -o xml", says: /Allowed choices are wide, json, yaml, name/ },
    { line: "status -A -n x", says: /cannot be used with/ },
    { line: "status --watch -o json", says: /cannot be used with/ },
    { line: "completion tcsh", says: /Allowed choices are bash, zsh, fish/ },
    { line: "unjoin a --bogus", says: /\(see "meridian unjoin --help"\)/ },
    { line: "join --member-kubeconfig f", says: /missing required argument 'name'/ },
    { line: "rollout status", says: /'name'; give it: rollout status <name> \(see "meridian rollout status --help"\)/ },
    { line: "join a", says: /--member-kubeconfig <file>' not specified/ },
    {
      line: "join a --member-kubeconfg f",
      says: /unknown option '--member-kubeconfg', and required option .*; give it: join <name> --member-kubeconfig <file>/,
    },
    { line: "join BAD --member-kubeconfig f", says: /lower-case letters/ },
    { line: "join a b --member-kubeconfig f", says: /too many arguments/ },
    { line: "unjoin a --drain --orphan", says: /cannot be used with/ },
    { line: "install --crds-only --webhooks", says: /--crds-only gives no rights/ },
    { line: "install --manager", says: /--manager needs --image, with registry and tag: .*npm run image/ },
    { line: "install --manager --image meridian", says: /looks like registry\.example\.com/ },
    { line: "install --manager --image https://r.example.com/m:1", says: /looks like registry\.example\.com/ },
    { line: "install --manager --image m:1 --replicas 0", says: /a number from 1 to 20/ },
    { line: "install --manager --image m:1 --image-pull-secret A_B", says: /lower-case letters/ },
    { line: "install --image m:1", says: /give --manager as well/ },
    { line: "install --crds-only --manager --image m:1", says: /leave out one of --crds-only and --manager/ },
    { line: "install --secrets-of Team_A", says: /lower-case letters/ },
    { line: "uninstall --drain --orphan", says: /cannot be used with/ },
    { line: "install --timeout soon", says: /A duration looks like 90s/ },
    {
      line: "manager --lease-duration 5s",
      says: /--lease-duration \(5000 ms\) must be longer than --renew-deadline \(10000 ms\)/,
    },
    { line: "manager --log-level loud", says: /Allowed choices/ },
    { line: "manager --trace-ratio 10%", says: /A share is a number between 0 and 1/ },
    { line: "manager --trace-ratio 1.5", says: /A share is a number between 0 and 1/ },
    { line: "manager --trace-span UpdateStatus", says: /look like UpdateStatus=1/ },
    {
      line: "manager --trace-span UpdateStatsu=1",
      says: /There is no span UpdateStatsu.* Reconcile, ComputeTarget, UpdateStatus, Admission.*SyncKIND.*SyncDeployment/,
    },
    {
      line: "manager --webhook-url https://h:1",
      says: /--webhook-url .*: give --webhooks as well/,
    },
    { line: "manager --webhook-service a/b", says: /--webhook-service .*: give --webhooks as well/ },
    { line: "manager --webhook-port 9444", says: /--webhook-port .*: give --webhooks as well/ },
    { line: "help statsu", says: /unknown command 'statsu'.*Did you mean status\?/ },
    { line: "manager --webhook-cert-dir /d", says: /--webhook-cert-dir .*: give --webhooks as well/ },
    {
      line: "manager --prometheus-url http://169.254.169.254",
      says: /Link-local and metadata addresses are never asked/,
    },
    { line: "manager --prometheus-token-file t", says: /--prometheus-token-file need --prometheus-url/ },
    {
      line: "manager --prometheus-url http://p.o11y.svc --prometheus-token-file t",
      says: /--prometheus-token-file needs an https address/,
    },
    {
      line: "manager --webhooks --webhook-url https://h:1 --metrics-port 24713 --webhook-port 24713",
      says: /--metrics-port and --webhook-port are both 24713: give each a port of its own/,
    },
    {
      line: "manager --webhooks --webhook-url https://h:1 --metrics-bind-address 127.0.0.1:9443",
      says: /--metrics-bind-address and --webhook-port are both 9443/,
    },
    { line: "manager --otlp-endpoint foo", says: /--otlp-endpoint.*'foo'.*looks like http:\/\/host:4318/ },
    { line: "manager --otlp-endpoint collector:4318", says: /--otlp-endpoint.*looks like http:\/\/host:4318/ },
    { line: "manager --reconcile-timeout 0s", says: /--reconcile-timeout must be longer than 0s/ },
  ])("exits with 2 and says so in one line: $line", async ({ line, says }) => {
    const { code, err, called } = await run(line);
    expect(code).toBe(2);
    expect(err).toMatch(says);
    expect(err).toMatch(/^meridian: [^\n]+\n$/);
    expect(called).toBeUndefined();
  });

  test("without a command is answered with the help and 2", async () => {
    expect(await run("")).toMatchObject({ code: 2, err: expect.stringContaining("Usage: meridian") as string });
  });
});
