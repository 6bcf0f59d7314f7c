import { describe, expect, test } from "vitest";
import { run } from "../testing/notingRun.ts";

const JOIN = "join a --member-kubeconfig m.yaml";

describe("wrong usage", () => {
  test.each<{ line: string; says: RegExp }>([
    { line: "quickstart --kubeconfig hub.yaml", says: /looks like hub=FILE/ },
    { line: "quickstart --json", says: /--json .* give --once/ },
    ...["0", "-1", "all", "1.5", ""].map((count) => ({
      line: `quickstart --regions=${count}`,
      says: /a number, 1 or more/,
    })),
    ...["0", "65001", "http"].map((port) => ({ line: `quickstart --port ${port}`, says: /between 1 and 65000/ })),
    { line: "quickstart --context kind-hub", says: /leave --context out/ },
    { line: "quickstart --kubeconfig hub=a,m1=b --real", says: /--real is for/ },
    { line: "quickstart --kubeconfig hub=a,m1=b --regions 2", says: /--regions is for/ },
    { line: "quickstart --kubeconfig hub=a,m1=b --port 2000", says: /--port is for/ },
    { line: "quickstart --kubeconfig hub=a,m1=", says: /"m1=" is not NAME=FILE/ },
    { line: "quickstart --kubeconfig m1=a", says: /the hub is missing/ },
    { line: "quickstart --kubeconfig hub=a", says: /a member is missing/ },
    { line: "quickstart --kubeconfig hub=a,hub=b,m1=c", says: /the hub is named twice/ },
    { line: "quickstart --kubeconfig hub=a,m1=b,m1@eu=c", says: /m1 is named twice/ },
    { line: "quickstart --kubeconfig hub=a,M1=b", says: /lower-case letters/ },
    { line: "quickstart --kubeconfig hub=a,m1@=b", says: /at most 63/ },
    { line: "manager --query-api=perhaps", says: /true or false/ },
    { line: "manager --query-port 9444", says: /certificate of the webhooks: give --webhooks/ },
    { line: "manager --query-advertise-host 10.0.0.7", says: /needs --query-port/ },
    { line: "manager --query-api=false --query-members", says: /--query-members needs the query API/ },
    { line: "manager --query-api=false --query-port 9444", says: /--query-port needs the query API/ },
    {
      line: "manager --webhooks --webhook-url https://192.0.2.7 --query-port 8383",
      says: /--query-port is 8383, as another port is/,
    },
    { line: "stauts", says: /unknown command 'stauts'.*status/ },
    { line: "list", says: /unknown command 'list': .*`meridian status`.*\(see "meridian --help"\)/ },
    { line: "get", says: /'kind'; give it: get <kind> \(see "meridian get --help"\)/ },
    { line: "status --wait --watch", says: /cannot be used with/ },
    { line: "status --wait -o json", says: /cannot be used with/ },
    { line: "log x", says: /unknown command 'log': `meridian logs .*`kubectl .* logs/ },
    { line: "diff -f x", says: /unknown command 'diff': .*`meridian plan -f FILE`/ },
    { line: "doctor", says: /unknown command 'doctor': .*`meridian check`/ },
    { line: "lint -f a", says: /unknown command 'lint': .*`meridian analyze -f FILE`/ },
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
    ...["tier", "=x", "a=b=c", "-a=b", "a/b/c=d", "UPPER.com/x=y", `a=${"x".repeat(64)}`].map((label) => ({
      line: `${JOIN} --label=${label}`,
      says: /looks like tier=edge/,
    })),
    ...["a=b", "a=b:Never", ":NoExecute", "a=-b:NoExecute"].map((taint) => ({
      line: `${JOIN} --taint ${taint}`,
      says: /looks like maintenance=true:NoExecute/,
    })),
    ...["shop,*", "* --namespaces shop"].map((names) => ({
      line: `${JOIN} --namespaces ${names}`,
      says: /'\*' alone for the whole cluster/,
    })),
    ...["Shop", "shop,,bank"].map((names) => ({
      line: `${JOIN} --namespaces ${names}`,
      says: /at most 63 lower-case letters/,
    })),
    { line: `${JOIN} --kinds apps/v1`, says: /A kind looks like mysqlclusters.mysql.presslabs.org or Ingress/ },
    ...["shop/Role", "kube-system", "kube-system/*", "kube-system/Role/x", "none,kube-system/Role"].map((kinds) => ({
      line: `${JOIN} --allow-protected ${kinds}`,
      says: /Name a namespace of Kubernetes and one kind/,
    })),
    ...["--region eu", "--zone eu-1", "--provider aliyun", "--label a=b", "--taint a=b:NoExecute"].map((flag) => ({
      line: `${JOIN} --renew ${flag}`,
      says: new RegExp(`leave out ${flag.split(" ")[0] ?? ""}; or leave out --renew`),
    })),
    {
      line: `${JOIN} --token-lifetime 9m59s`,
      says: /'--token-lifetime <duration>' argument '9m59s' is invalid.* A token lives 10m or longer/,
    },
    { line: "rollout undo a --to-revision 0", says: /Give the number of a revision/ },
    { line: "unjoin a --drain --orphan", says: /cannot be used with/ },
    { line: "install --crds-only --webhooks", says: /--crds-only gives no rights/ },
    { line: "install --manager", says: /--manager needs --image, with registry and tag: .*npm run image/ },
    { line: "install --manager --image meridian", says: /looks like registry\.example\.com/ },
    { line: "install --manager --image https://r.example.com/m:1", says: /looks like registry\.example\.com/ },
    { line: "install --manager --image m:1 --replicas 0", says: /a number from 1 to 20/ },
    { line: "install --manager --image m:1 --image-pull-secret A_B", says: /lower-case letters/ },
    { line: "install --replicas 3", says: /give --manager as well/ },
    { line: "install --kinds Service", says: /given by its plural and group/ },
    { line: "install --status-of services", says: /give --kinds services/ },
    { line: "install --crds-only --kinds services", says: /leave out/ },
    { line: "install --image m:1", says: /give --manager as well/ },
    { line: "install --crds-only --manager --image m:1", says: /leave out one of --crds-only and --manager/ },
    { line: "install --secrets-of Team_A", says: /lower-case letters/ },
    { line: "uninstall --drain --orphan", says: /cannot be used with/ },
    { line: "install --timeout soon", says: /A duration looks like 90s/ },
    {
      line: "manager --lease-duration 5s",
      says: /--lease-duration \(5000 ms\) must be longer than --renew-deadline \(10000 ms\)/,
    },
    ...["8383", "host:", "host:x", "host:70000", "host:-1"].map((address) => ({
      line: `manager --metrics-bind-address ${address}`,
      says: /An address looks like 127|A port is a number/,
    })),
    { line: "manager --leader-elect=yes", says: /true or false/ },
    ...["V2", "-a", "a.b", "a".repeat(41)].map((name) => ({
      line: `manager --adopt-class=${name}`,
      says: /A class looks like v2/,
    })),
    ...["meridian", "/meridian", "a/b/c", "A/b", "a/-b"].map((service) => ({
      line: `manager --webhooks --webhook-service ${service}`,
      says: /A Service looks like/,
    })),
    ...["192.0.2.7:9443", "http://192.0.2.7", "https://a?b", "https://a#b", "https://u:p@a"].map((url) => ({
      line: `manager --webhooks --webhook-url ${url}`,
      says: /An address looks like https/,
    })),
    { line: "manager --webhooks", says: /give --webhook-service or --webhook-url/ },
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
    { line: "manager --otlp-signals traces,spans", says: /--otlp-signals.*each of traces, metrics, logs once at most/ },
    { line: "manager --otlp-metric-interval 10ms", says: /--otlp-metric-interval must be 1s or longer/ },
    { line: "manager --objective-fresh 0s", says: /--objective-fresh must be longer than 0s/ },
    { line: "manager --audit-log=", says: /--audit-log.*The target is stdout, off, or a file/ },
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
