import type { Mistake } from "./types.ts";

/** A mistake on the command line. `{name}` in the line stands for a file or a port of {@link World}. */
export interface CommandMistake extends Mistake {
  line: string;
  /** Beside PATH and an empty HOME. */
  env?: Record<string, string>;
  /** 2 unless told. */
  code?: number;
}

const HUB = "--kubeconfig {hub}";

const usage: CommandMistake[] = [
  {
    mistake: "a command that is misspelt",
    line: "stauts",
    what: /unknown command/,
    where: /'stauts'/,
    next: /Did you mean status\?.*see "meridian --help"/,
  },
  {
    mistake: "an option that there is not",
    line: "status --namspace shop",
    what: /unknown option/,
    where: /'--namspace'/,
    next: /Did you mean --namespace\?.*see "meridian status --help"/,
  },
  {
    mistake: "a form of output that there is not",
    line: "status -o xml",
    what: /'xml' is invalid/,
    where: /'-o, --output <format>'/,
    next: /Allowed choices are wide, json, yaml, name/,
  },
  {
    mistake: "two options that exclude each other",
    line: "status -A -n shop",
    what: /cannot be used with/,
    where: /'-A, --all-namespaces'.*'-n, --namespace <namespace>'/,
    next: /leave one of them out/,
  },
  {
    mistake: "a duration without a unit",
    line: "install --timeout 90",
    what: /'90' is invalid/,
    where: /'--timeout <duration>'/,
    next: /looks like 90s, 2m or 1h30m/,
  },
  {
    mistake: "no name for the cluster that is to join",
    line: "join --member-kubeconfig {member}",
    what: /missing required argument/,
    where: /'name'/,
    next: /give it: join <name> --member-kubeconfig <file>/,
  },
  {
    mistake: "no kubeconfig of the cluster that is to join",
    line: "join m2",
    what: /required option .* not specified/,
    where: /'--member-kubeconfig <file>'/,
    next: /give it: join <name> --member-kubeconfig <file>/,
  },
  {
    mistake: "a cluster's name with capitals and an underscore",
    line: "join Shanghai_1 --member-kubeconfig {member}",
    what: /'Shanghai_1' is invalid/,
    where: /argument/,
    next: /at most 63 lower-case letters, digits and '-'/,
  },
  {
    mistake: "a taint without an effect",
    line: "join m2 --member-kubeconfig {member} --taint maintenance=true",
    what: /'maintenance=true' is invalid/,
    where: /'--taint <key=value:effect>'/,
    next: /looks like maintenance=true:NoExecute/,
  },
  {
    mistake: "a region beside --renew, which does not write it",
    line: "join m1 --member-kubeconfig {member} --renew --region eu",
    what: /--renew leaves the MemberCluster as it is/,
    where: /--region would change it/,
    next: /leave out --region; or leave out --renew/,
  },
  {
    mistake: "a token that lives less than servers give",
    line: "join m2 --member-kubeconfig {member} --token-lifetime 1s --dry-run",
    what: /'1s' is invalid/,
    where: /'--token-lifetime <duration>'/,
    next: /lives 10m or longer/,
  },
  {
    mistake: "a shell that has no completion",
    line: "completion tcsh",
    what: /'tcsh' is invalid/,
    where: /'shell'/,
    next: /Allowed choices are bash, zsh, fish/,
  },
];

const kubeconfigs: CommandMistake[] = [
  {
    mistake: "no kubeconfig anywhere",
    line: "status",
    what: /no cluster to talk to/,
    where: /KUBECONFIG is not set, .*\/home\/\.kube\/config does not exist/,
    next: /give --kubeconfig FILE/,
  },
  {
    mistake: "a kubeconfig that is not there",
    line: "status --kubeconfig {dir}/hub.yml",
    what: /does not exist/,
    where: /hub\.yml of --kubeconfig/,
    next: /check its path/,
  },
  {
    mistake: "a KUBECONFIG whose files are all missing",
    line: "status",
    env: { KUBECONFIG: "{dir}/a:{dir}/b" },
    what: /do not exist, or are empty/,
    where: /\/a, .*\/b of KUBECONFIG/,
    next: /correct KUBECONFIG, or give --kubeconfig FILE/,
  },
  {
    mistake: "a file that is no kubeconfig",
    line: "status --kubeconfig {application}",
    what: /this is not a kubeconfig/,
    where: /kubeconfig .*application\.yaml of the hub/,
    next: /choose another file with --kubeconfig/,
  },
  {
    mistake: "a kubeconfig with a tab in it",
    line: "status --kubeconfig {tabbed}",
    what: /not valid YAML .* a tab indents it, where YAML takes spaces/,
    where: /kubeconfig .*tabbed of the hub: .* at line \d+, column 1/,
    next: /choose another file with --kubeconfig/,
  },
  {
    mistake: "a kubeconfig that is a directory",
    line: "status --kubeconfig {dir}/files",
    what: /is a directory, not a file/,
    where: /the kubeconfig .*\/files/,
    next: /give --kubeconfig FILE/,
  },
  {
    mistake: "a context that the kubeconfig does not have",
    line: `status ${HUB} --context prod`,
    what: /no context "prod"/,
    where: /kubeconfig .*hub of the hub/,
    next: /name another with --context \(it has hub\)/,
  },
  {
    mistake: "a kubeconfig without a current context",
    line: "status --kubeconfig {undecided}",
    what: /no current-context/,
    where: /kubeconfig .*undecided of the hub/,
    next: /name one with --context \(it has hub\)/,
  },
  {
    mistake: "a context of the member that its kubeconfig does not have",
    line: `join m2 --region eu --member-kubeconfig {member2} --member-context prod ${HUB}`,
    what: /no context "prod"/,
    where: /kubeconfig .*member2 of member m2/,
    next: /name another with --member-context \(it has m2\)/,
  },
];

const connections: CommandMistake[] = [
  {
    mistake: "a hub that does not run",
    line: "status --kubeconfig {away}",
    what: /connection refused/,
    where: /the hub \(https:\/\/127\.0\.0\.1:\d+, kubeconfig .*away, context hub\)/,
    next: /check that it runs .* or choose another cluster with --kubeconfig or --context/,
  },
  {
    mistake: "a port where something else listens",
    line: "status --kubeconfig {plain}",
    what: /does not speak TLS/,
    where: /the hub \(https:\/\/127\.0\.0\.1:\d+, kubeconfig .*plain/,
    next: /correct server and certificates in that kubeconfig, or choose another cluster/,
  },
  {
    mistake: "another cluster's certificate authority",
    line: "status --kubeconfig {untrusted}",
    what: /certificate is not signed by the CA in the kubeconfig/,
    where: /the hub \(.*kubeconfig .*untrusted/,
    next: /correct server and certificates in that kubeconfig/,
  },
  {
    mistake: "a token that has gone",
    line: "status --kubeconfig {stranger}",
    what: /does not accept the credentials/,
    where: /the hub \(.*kubeconfig .*stranger/,
    next: /log in again, or choose another cluster/,
  },
  {
    mistake: "no rights to see every namespace",
    line: "status -A --kubeconfig {tenant}",
    what: /not every namespace can be shown.*cannot list resource "demoapplications"/,
    where: /the hub \(.*kubeconfig .*tenant/,
    next: /leave out --all-namespaces, or give -n NAMESPACE/,
  },
  {
    mistake: "no rights in the namespace of the context",
    line: "status --kubeconfig {tenant}",
    what: /your rights reach neither every namespace nor default, the namespace of your context/,
    where: /the hub \(.*kubeconfig .*tenant/,
    next: /give -n NAMESPACE of one that they reach/,
  },
  {
    mistake: "a hub on which Meridian was never installed",
    line: "status --kubeconfig {member2}",
    what: /does not know/,
    where: /the hub \(https:.*kubeconfig .*member2/,
    next: /run `meridian install` first, or choose another cluster/,
  },
  {
    mistake: "to install with rights on a kind that there is not",
    line: `install --kinds nosuch ${HUB}`,
    what: /serves no kind nosuch/,
    where: /the hub/,
    next: /give its plural and group, such as /,
  },
  {
    mistake: "to install without the rights of an administrator",
    line: "install --kubeconfig {tenant}",
    what: /cannot get resource "customresourcedefinitions"/,
    where: /the hub \(.*kubeconfig .*tenant/,
    next: /ask its administrator for this right/,
  },
];

const names: CommandMistake[] = [
  {
    mistake: "an application that there is not",
    line: `status shpo -n shop ${HUB}`,
    what: /no demoapplication "shpo"/,
    where: /the hub has .* in namespace shop/,
    next: /name one of these: first/,
  },
  {
    mistake: "a cluster that there is not",
    line: `status membercluster/m9 ${HUB}`,
    what: /no member cluster "m9"/,
    where: /the hub has/,
    next: /name one of these: m1/,
  },
  {
    mistake: "an object of a kind that no policy places",
    line: `status pod/web ${HUB}`,
    what: /no policy places a pod "web"/,
    where: /in any namespace/,
    next: /name its kind in the resourceSelectors of a Placement/,
  },
  {
    mistake: "to end the membership of a cluster that is none",
    line: `unjoin m9 ${HUB}`,
    what: /no member cluster m9/,
    where: /the hub \(https:/,
    next: /name one of these: m1/,
  },
];

const members: CommandMistake[] = [
  {
    mistake: "to join without a region",
    line: `join m2 --member-kubeconfig {member2} ${HUB}`,
    what: /needs its region/,
    where: /joining m2/,
    next: /give --region, such as/,
  },
  {
    mistake: "the hub's own kubeconfig for the member",
    line: `join m2 --region eu --member-kubeconfig {hub} ${HUB}`,
    what: /is the hub itself/,
    where: /https:\/\/127\.0\.0\.1:\d+ \(kubeconfig .*hub, context hub\)/,
    next: /of another cluster, or, .* apply a MemberCluster/,
  },
  {
    mistake: "one cluster under a second name",
    line: `join other --region eu --member-kubeconfig {member} ${HUB}`,
    what: /is a member already, as m1/,
    where: /https:\/\/127\.0\.0\.1:\d+ \(kubeconfig .*member/,
    next: /`meridian unjoin m1` first, or renew it/,
  },
  {
    mistake: "a second cluster under one name",
    line: `join m1 --region eu --member-kubeconfig {member2} ${HUB}`,
    what: /m1 is another cluster/,
    where: /than https:\/\/127\.0\.0\.1:\d+ \(kubeconfig .*member2/,
    next: /choose another name, or `meridian unjoin m1` first/,
  },
  {
    mistake: "a member that is away",
    line: `join m2 --region eu --member-kubeconfig {away} ${HUB}`,
    what: /connection refused/,
    where: /member m2 \(https:\/\/127\.0\.0\.1:\d+, kubeconfig .*away/,
    next: /check that it runs .* or choose another cluster with --member-kubeconfig or --member-context/,
  },
  {
    mistake: "to renew the credentials of a cluster that has not joined",
    line: `join m2 --renew --member-kubeconfig {member2} ${HUB}`,
    what: /no member cluster m2 to renew/,
    where: /the hub \(https:/,
    next: /leave out --renew and give --region/,
  },
  {
    mistake: "to drain without a manager",
    line: `unjoin m1 --drain --force ${HUB}`,
    what: /only a manager can drain/,
    where: /m1/,
    next: /use --orphan --force, or start a manager/,
  },
  {
    mistake: "to uninstall while there are applications",
    line: `uninstall ${HUB}`,
    code: 1,
    what: /are on the hub; nothing was done/,
    where: /demoapplication/,
    next: /uninstall --drain .*uninstall --orphan /s,
  },
  {
    mistake: "to uninstall in a script, where nobody can be asked",
    line: `uninstall --orphan ${HUB}`,
    what: /asks before/,
    where: /uninstall/,
    next: /--yes/,
  },
];

const processes: CommandMistake[] = [
  {
    mistake: "the port of the metrics is taken",
    line: `manager ${HUB} --metrics-bind-address 127.0.0.1:{metrics}`,
    what: /is taken by another program/,
    where: /port \d+ of 127\.0\.0\.1, for \/metrics, \/healthz and \/readyz/,
    next: /choose another with --metrics-port/,
  },
  {
    mistake: "the port of the webhooks is taken",
    line: `manager ${HUB} --metrics-port 0 --webhooks --webhook-url https://127.0.0.1:{webhooks} --webhook-port {webhooks}`,
    what: /is taken by another program/,
    where: /port \d+, for the webhooks/,
    next: /choose another with --webhook-port/,
  },
  {
    mistake: "webhooks without an address that the hub can call",
    line: `manager ${HUB} --webhooks`,
    what: /--webhooks needs/,
    where: /where the hub calls them/,
    next: /--webhook-service or --webhook-url/,
  },
  {
    mistake: "a Lease that ends before it is renewed",
    line: `manager ${HUB} --lease-duration 5s`,
    what: /must be longer/,
    where: /--lease-duration \(5000 ms\).*--renew-deadline \(10000 ms\)/,
    next: /change one of them/,
  },
  {
    mistake: "a port of the quickstart that is taken",
    line: "quickstart --once --port {busy}",
    what: /taken by another program/,
    where: /port \d+ \(for hub\)/,
    next: /choose another --port, or leave --port out/,
  },
  {
    mistake: "more regions than there are",
    line: "quickstart --once --regions 99",
    what: /12 regions.*not 99/,
    where: /placements\//,
    next: /give --regions 12 or less/,
  },
  {
    mistake: "a kubeconfig for the quickstart in the form of the other commands",
    line: "quickstart --kubeconfig {hub}",
    what: /hub" is not NAME=FILE/,
    where: /--kubeconfig of quickstart/,
    next: /looks like hub=FILE,m1=FILE/,
  },
];

export const COMMAND_MISTAKES: readonly CommandMistake[] = [
  ...usage,
  ...kubeconfigs,
  ...connections,
  ...names,
  ...members,
  ...processes,
];
