import { type CommandMistake, HUB } from "./types.ts";

/** Mistakes of the first day and of the bad night: what a newcomer types, and what nobody has allowed or placed yet. */

const verbs: CommandMistake[] = [
  {
    verb: "log",
    next: /`meridian logs NAME --cluster CLUSTER`.*`kubectl --namespace NAMESPACE logs deployment\/NAME`/,
  },
  { verb: "diff", next: /`meridian plan -f FILE`/ },
  { verb: "clusters", next: /`meridian status` ends with the members/ },
  { verb: "apply", next: /`kubectl apply -f FILE`/ },
  { verb: "register", next: /`meridian join NAME --region REGION --member-kubeconfig FILE`/ },
  { verb: "rollback", next: /`meridian rollout undo NAME`/ },
].map(({ verb, next }) => ({
  mistake: `the command ${verb}, which other programs have`,
  line: verb,
  what: /unknown command/,
  where: new RegExp(`'${verb}'`),
  next,
}));

const placing: CommandMistake[] = [
  {
    mistake: "to plan an application that no Placement selects",
    line: `plan -f {unplaced} ${HUB}`,
    code: 1,
    prints: true,
    what: /runs nowhere, NoPlacement/,
    where: /demoapplication\/lonely in namespace default/,
    next: /create a Placement that does/,
  },
  {
    mistake: "an application whose Deployment a member has already",
    line: `status clash -n clash ${HUB}`,
    code: 1,
    prints: true,
    what: /AlreadyExists/,
    where: /clash\/clash in m1/,
    next: /rename the object, remove the foreign one, or set `conflictResolution: Adopt` in the Placement/,
  },
  {
    mistake: "to go back in an application that has no revisions",
    line: `rollout undo first -n shop ${HUB}`,
    what: /has no earlier revision to go back to/,
    where: /demoapplication\/first/,
    next: /apply its earlier manifest instead/,
  },
  {
    mistake: "to approve where nothing is rolled out",
    line: `rollout approve first -n shop ${HUB}`,
    what: /has no rollout/,
    where: /demoapplication\/first/,
    next: /there is nothing to approve/,
  },
  {
    mistake: "to drain a cluster that there is not",
    line: `drain m9 --yes ${HUB}`,
    what: /no member cluster m9/,
    where: /the hub \(https:/,
    next: /name one of these: m1/,
  },
];

const bundles: CommandMistake[] = [
  {
    mistake: "a bundle that the Namespace of the hub does not allow",
    line: `bundle create op -n shop -f {operator} --apply ${HUB}`,
    what: /the hub would send nothing of the bundle, so nothing was applied/,
    where: /namespace shop/,
    next: /`kubectl annotate --overwrite namespace shop federation\.paas\.cmft\.com\/allowed-bundle-kinds=ClusterRole federation\.paas\.cmft\.com\/allowed-service-accounts=elsewhere --kubeconfig .*`.*then run this again/,
  },
  {
    mistake: "a bundle for a namespace that there is not",
    line: `bundle create op -n shpo -f {operator} --apply ${HUB}`,
    what: /has no namespace shpo for the bundle/,
    where: /the hub \(https:/,
    next: /`kubectl create namespace shpo --kubeconfig .*`/,
  },
  {
    mistake: "a bundle of kinds that members do not take, and whose definition it does not bring",
    line: "bundle create op -n shop -f {custom}",
    code: 0,
    prints: true,
    what: /the bundle brings no definition of Widget\.example\.com/,
    where: /let each member take the kinds of the bundle/,
    next: /meridian join NAME --renew --kinds Widget\.example\.com --member-kubeconfig FILE/,
  },
  {
    mistake: "a bundle with a definition that the hub may want",
    line: "bundle create op -n shop -f {definition}",
    code: 0,
    prints: true,
    what: /the bundle brings the definition of widgets\.example\.com to members/,
    where: /a hub that is to store such objects needs the same/,
    next: /meridian bundle create op -f .* --crds \| kubectl apply --server-side -f -/,
  },
  {
    mistake: "definitions of what defines nothing",
    line: "bundle create op -n shop --crds -f {operator}",
    what: /no CustomResourceDefinition/,
    where: /in what was given/,
    next: /leave out --crds/,
  },
];

const tenants: CommandMistake[] = [
  {
    mistake: "a tenant who names no namespace",
    line: "rollout history first --kubeconfig {tenant}",
    what: /cannot get resource "demoapplications".*in the namespace "default"/,
    where: /the hub \(https:.*kubeconfig .*tenant/,
    next: /give -n NAMESPACE of one that your rights reach, ask its administrator/,
  },
  {
    mistake: "a tenant who drains a cluster",
    line: "drain m1 --yes --kubeconfig {tenant}",
    what: /cannot get resource "memberclusters"/,
    where: /the hub \(https:.*kubeconfig .*tenant/,
    next: /ask its administrator for this right/,
  },
  {
    mistake: "a tenant without rights on policies who asks for a plan",
    line: "plan -f {unplaced} --kubeconfig {tenant}",
    what: /your rights on the hub do not show placements/,
    where: /in namespace default/,
    next: /ask its administrator for the right to list placements and overridepolicies there/,
  },
];

export const FIRST_DAY_MISTAKES: readonly CommandMistake[] = [...verbs, ...placing, ...bundles, ...tenants];
