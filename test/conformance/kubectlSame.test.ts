import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { bothSides, makeNamespace } from "./framework/conformance.ts";
import { type Command, Kubectl, kubectl, settled } from "./framework/kubectl.ts";

/** What kubectl does with an API server alone: the same commands on both, with the same output and the same exit code. */

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        image: nginx:1
        ports: [{containerPort: 80, name: http}]
        env: [{name: A, value: "1"}]
        resources: {limits: {cpu: 500m, memory: 64Mi}}
        readinessProbe: {httpGet: {path: /, port: http}}
`;
const CHANGED = DEPLOYMENT.replace("nginx:1", "nginx:2").replace("replicas: 2", "replicas: 3");
const WIDGET = `apiVersion: conformance.example.com/v1
kind: Widget
metadata: {name: w}
spec: {size: 3, color: red, parts: [{name: a}, {name: b}]}
`;
const EVENTS = ["Normal", "Warning"]
  .map(
    (type) => `apiVersion: v1
kind: Event
metadata: {name: web.${type.toLowerCase()}}
type: ${type}
reason: Because
message: it was asked for
count: 3
involvedObject: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: "{ns}", fieldPath: spec.replicas}
source: {component: somebody, host: here}
firstTimestamp: "2020-01-01T00:00:00Z"
lastTimestamp: "2020-01-01T00:00:00Z"
`,
  )
  .join("---\n");
const deployed = kubectl("apply -f -", { stdin: DEPLOYMENT, saying: "created" });
/** Lines in the order of the alphabet: the server promises none. */
const sorted = (output: string) => settled(output).split("\n").toSorted();
const linesOf = (pattern: RegExp) => (output: string) => sorted(output).filter((line) => pattern.test(line));

/** How kubectl introduces an error. The words of the server are its own affair. */
const refusal = (output: string) =>
  /^(Error from server( \(\w+\))?|error|The \S+ "\S+" is invalid|\w+)/m.exec(output)?.[0];

const cases: Record<string, Command[]> = {
  "apply creates, finds nothing to do, and changes": [
    deployed,
    kubectl("apply -f -", { stdin: DEPLOYMENT, saying: "unchanged" }),
    kubectl("apply -f -", { stdin: CHANGED, saying: "configured" }),
    kubectl("get deployment web -o yaml --show-managed-fields"),
  ],
  "apply on the server's side, with conflicts and force": [
    kubectl("apply --server-side -f -", { stdin: DEPLOYMENT, saying: "serverside-applied" }),
    kubectl("scale deployment web --replicas=5"),
    kubectl("apply --server-side -f -", { stdin: DEPLOYMENT, exits: 1, saying: "conflict with" }),
    kubectl("apply --server-side --force-conflicts -f -", { stdin: DEPLOYMENT }),
    kubectl("get deployment web -o yaml --show-managed-fields"),
  ],
  "apply on the server's side takes over from the client's": [
    deployed,
    kubectl("apply --server-side -f -", { stdin: CHANGED }),
    kubectl("get deployment web -o yaml --show-managed-fields"),
  ],
  "apply of an unknown field is refused before it is sent": [
    kubectl("apply -f -", {
      stdin: DEPLOYMENT.replace("replicas: 2", "replica: 2"),
      exits: 1,
      saying: 'unknown field "spec.replica"',
    }),
  ],
  "apply of an invalid object tells each error": [
    kubectl("apply -f -", {
      stdin: DEPLOYMENT.replace("replicas: 2", "replicas: -2").replace("image: nginx:1", "image: ''"),
      exits: 1,
      saying: "is invalid",
    }),
  ],
  "apply of a custom resource": [
    kubectl("apply -f -", { stdin: WIDGET, saying: "created" }),
    kubectl("apply -f -", { stdin: WIDGET.replace("size: 3", "size: 4"), saying: "configured" }),
    kubectl("apply -f -", { stdin: WIDGET.replace("size: 3", "size: 400"), exits: 1 }),
    kubectl("apply -f -", { stdin: WIDGET.replace("size: 3", "siz: 4"), exits: 1, saying: "siz" }),
    kubectl("get widgets"),
    kubectl("get wd w -o wide"),
    kubectl("describe widget w"),
  ],
  "diff shows what an apply would change": [
    deployed,
    kubectl("diff -f -", { stdin: DEPLOYMENT }),
    kubectl("diff -f -", { stdin: CHANGED, exits: 1, saying: "+        image: nginx:2", compare: linesOf(/^[+-] /) }),
    kubectl("diff --server-side --force-conflicts -f -", { stdin: CHANGED, exits: 1, compare: linesOf(/^[+-] /) }),
  ],
  "get in many forms": [
    deployed,
    ...[
      "",
      "-o wide",
      "-o name",
      "-o json",
      "-o yaml",
      "--show-labels",
      "-l app=web",
      "-l app=db",
      "--no-headers",
      "-o jsonpath={.items[*].spec.replicas}",
      "-o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.spec.containers[*].image",
      "--sort-by=.metadata.name",
      "--field-selector=metadata.name=web",
      "-L app",
      "--show-kind",
      "--chunk-size=1",
    ].map((form) => kubectl(`get deployments ${form}`)),
  ],
  "get by short name, singular, group and several kinds": [
    deployed,
    ...["deploy", "deploy/web", "deployment.apps/web", "deployments.v1.apps", "deploy,svc,cm", "all"].map((what) =>
      kubectl(`get ${what}`),
    ),
  ],
  "get of what is not there says so": [
    kubectl("get deployment none", { exits: 1, saying: 'deployments.apps "none" not found' }),
    kubectl("get deployments", { saying: "No resources found" }),
    kubectl("get frobs", { exits: 1, saying: `the server doesn't have a resource type "frobs"` }),
    kubectl("get deployment web -o jsonpath={.spec", { exits: 1 }),
  ],
  "create by command": [
    kubectl("create configmap c --from-literal=a=1"),
    kubectl("create secret generic s --from-literal=a=1"),
    kubectl("create deployment d --image=nginx --replicas=2 --port=80"),
    kubectl("create service clusterip v --tcp=80:8080"),
    kubectl("create service nodeport n --tcp=80"),
    kubectl("create serviceaccount a"),
    kubectl("create role r --verb=get,list --resource=pods,deployments.apps"),
    kubectl("create rolebinding b --role=r --serviceaccount={ns}:a"),
    kubectl("create job j --image=busybox -- true"),
    kubectl("create ingress i '--rule=a.example.com/*=v:80'"),
    kubectl("create poddisruptionbudget p --selector=app=d --min-available=1"),
    kubectl("create configmap c", { exits: 1, saying: "already exists" }),
    kubectl("get configmap,secret,deployment,service,serviceaccount,role,rolebinding,job,ingress,poddisruptionbudget"),
  ],
  "expose and autoscale": [
    deployed,
    kubectl("expose deployment web --port=80 --target-port=http"),
    kubectl("autoscale deployment web --min=1 --max=3 --cpu=50%"),
    kubectl("get service,hpa -o wide"),
    kubectl("describe service web"),
    kubectl("describe hpa web"),
  ],
  "patch in three ways": [
    deployed,
    kubectl(
      `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"nginx:3"}]}}}}'`,
      { saying: "patched" },
    ),
    kubectl(`patch deployment web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":4}]'`),
    kubectl(`patch deployment web --type=merge -p '{"metadata":{"labels":{"tier":"front"}}}'`),
    kubectl(`patch deployment web --type=merge -p '{"metadata":{"labels":{"tier":"front"}}}'`, { saying: "no change" }),
    kubectl(`patch deployment web --subresource=status --type=merge -p '{"status":{"replicas":1}}'`),
    kubectl(`patch deployment web --type=json -p '[{"op":"remove","path":"/spec/none"}]'`, { exits: 1 }),
    kubectl("get deployment web -o yaml"),
  ],
  "scale, with and without a condition": [
    deployed,
    kubectl("scale deployment web --replicas=4", { saying: "scaled" }),
    kubectl("scale deployment web --replicas=5 --current-replicas=1", {
      exits: 1,
      saying: "Expected replicas to be 1, was 4",
    }),
    kubectl("get deployment web -o jsonpath={.spec.replicas}", { saying: "4" }),
  ],
  "set, label and annotate": [
    deployed,
    kubectl("set image deployment/web app=nginx:9"),
    kubectl("set env deployment/web B=2 A-"),
    kubectl("set resources deployment web --limits=cpu=1"),
    kubectl("set serviceaccount deployment web robot"),
    kubectl("label deployment web tier=front"),
    kubectl("label deployment web tier=back", { exits: 1, saying: "--overwrite is false" }),
    kubectl("label deployment web tier-"),
    kubectl("annotate deployment web a=b"),
    kubectl("get deployment web -o yaml"),
  ],
  "edit through an editor": [
    deployed,
    kubectl("edit deployment web", { env: { KUBE_EDITOR: "sed -i s/nginx:1/nginx:7/" }, saying: "edited" }),
    kubectl("get deployment web -o jsonpath={..image}", { saying: "nginx:7" }),
  ],
  "replace, and replace by force": [
    deployed,
    kubectl("replace -f -", { stdin: CHANGED, saying: "replaced" }),
    kubectl("replace --force -f -", { stdin: DEPLOYMENT }),
    kubectl("replace -f -", { stdin: CHANGED.replace("name: web", "name: none"), exits: 1 }),
  ],
  "describe a deployment that nobody carries out": [deployed, kubectl("describe deployment web")],
  "describe plain objects": [
    kubectl("create configmap c --from-literal=a=1"),
    kubectl("create secret generic s --from-literal=a=1"),
    kubectl("create serviceaccount a"),
    ...["configmap c", "secret s", "serviceaccount a", "namespace {ns}"].map((what) => kubectl(`describe ${what}`)),
    kubectl("describe configmap none", { exits: 1 }),
  ],
  "delete in many forms": [
    deployed,
    kubectl("delete deployment web --dry-run=server"),
    kubectl("delete deployment web", { saying: "deleted" }),
    kubectl("delete deployment web", { exits: 1, saying: "not found" }),
    kubectl("delete deployment web --ignore-not-found"),
    kubectl("create configmap a"),
    kubectl("create configmap b"),
    kubectl("delete configmaps --all", { saying: "deleted" }),
    kubectl("delete configmaps -l none=here"),
  ],
  "wait for a field, for a condition and for a deletion": [
    deployed,
    kubectl("wait deployment/web --for=jsonpath={.spec.replicas}=2 --timeout=60s", { saying: "condition met" }),
    kubectl("wait deployment/web --for=condition=Available --timeout=1s", { exits: 1, saying: "timed out" }),
    kubectl("delete deployment web --wait=false"),
    kubectl("wait deployment/web --for=delete --timeout=60s"),
  ],
  "rollout restart, pause, resume and history": [
    deployed,
    kubectl("rollout pause deployment web"),
    kubectl("rollout pause deployment web", { exits: 1, saying: "already paused" }),
    kubectl("rollout resume deployment web"),
    kubectl("rollout restart deployment web"),
    kubectl("rollout history deployment web"),
    kubectl("rollout status deployment web --watch=false"),
  ],
  "quotas, before anybody has counted": [
    kubectl("create quota few --hard=pods=5,requests.cpu=1500m,count/deployments.apps=2"),
    kubectl("get quota"),
    kubectl("describe quota few"),
    kubectl("create quota few --hard=pods=-1", { exits: 1 }),
    kubectl("delete quota few"),
  ],
  "dry runs on the server": [
    kubectl("apply --dry-run=server -f - -o yaml", { stdin: DEPLOYMENT }),
    kubectl("create configmap c --from-literal=a=1 --dry-run=server -o yaml"),
    kubectl("get deployment web", { exits: 1 }),
  ],
  "create a token": [
    kubectl("create serviceaccount a"),
    kubectl("create token a --duration=15m", { compare: (output) => output.split(".").length }),
    kubectl("create token none", { exits: 1 }),
  ],
  "ask what one may do": [
    kubectl("auth can-i create deployments", { saying: "yes" }),
    kubectl("auth can-i create deployments --as=system:serviceaccount:{ns}:nobody", { exits: 1, saying: "no" }),
  ],
  "explain built-in kinds": [
    "deployment",
    "deployment.spec",
    "deployment.spec.strategy",
    "pod.spec.containers.ports",
    "service.spec.ports.targetPort",
    "configmap.data",
    "deploy.spec.template.spec.containers.env --recursive",
  ].map((path) => kubectl(`explain ${path}`, { compare: linesOf(/^(GROUP|KIND|VERSION|FIELD)|\t+</) })),
  "explain custom resources": [
    kubectl("explain widget"),
    kubectl("explain widget.spec.parts"),
    kubectl("explain widget.spec.none", { exits: 1 }),
    kubectl("explain frobs", { exits: 1 }),
  ],
  "list resources of a group": [
    "apps",
    "conformance.example.com",
    "rbac.authorization.k8s.io",
    "coordination.k8s.io",
  ].map((group) => kubectl(`api-resources --api-group=${group}`)),
  "list core resources": [
    kubectl("api-resources --api-group= -o wide", {
      compare: linesOf(
        /^(pods|services|configmaps|secrets|namespaces|nodes|serviceaccounts|events|persistentvolumeclaims) /,
      ),
    }),
  ],
  "speak of raw paths and of the version": [
    kubectl("get --raw /readyz"),
    kubectl("get --raw /api/v1/namespaces/{ns}/configmaps", { compare: (output) => output.slice(0, 40) }),
    kubectl("version", { compare: (output) => /Server Version: v1\.\d+/.test(output) }),
    kubectl("cluster-info", { compare: (output) => /is running at/.test(output) }),
  ],
  "list events": [
    kubectl("events", { saying: "No events found" }),
    kubectl("get events"),
    kubectl("create -f -", { stdin: EVENTS, saying: "created" }),
    kubectl("get events", { saying: "LAST SEEN   TYPE      REASON    OBJECT           MESSAGE" }),
    kubectl("get events -o wide", { saying: "FIRST SEEN" }),
    kubectl("get events --field-selector=type=Warning,involvedObject.name=web", { saying: "Warning" }),
    kubectl("get events.events.k8s.io"),
    kubectl("events --for deployment/web --types=Warning", { saying: "Because" }),
    kubectl("describe event web.normal"),
  ],
};

describe("kubectl says the same of both servers", () => {
  const sides = bothSides();
  let real: Kubectl;
  let sandbox: Kubectl;
  beforeAll(async () => {
    const kubeconfigs = inject("kubeconfigs");
    real = await Kubectl.of(kubeconfigs.real);
    sandbox = await Kubectl.of(kubeconfigs.sandbox);
  });
  afterAll(() => Promise.all([real[Symbol.asyncDispose](), sandbox[Symbol.asyncDispose]()]));

  test.concurrent.each(Object.entries(cases).map(([name, commands], index) => ({ name, commands, index })))(
    "$name",
    { timeout: 300_000 },
    async ({ commands, index }) => {
      const ns = `kubectl-${index}`;
      await Promise.all([makeNamespace(sides.real, ns), makeNamespace(sides.sandbox, ns)]);
      for (const written of commands) {
        const fill = (text: string) => text.replaceAll("{ns}", ns);
        const command = {
          ...written,
          line: fill(written.line),
          ...(written.stdin === undefined ? {} : { stdin: fill(written.stdin) }),
        };
        const [wanted, got] = await Promise.all([real.run(ns, command), sandbox.run(ns, command)]);
        const said = `kubectl ${command.line}\n${wanted.stdout}${wanted.stderr}`;
        expect(wanted.code, said).toBe(command.exits ?? 0);
        expect(wanted.stdout + wanted.stderr, said).toContain(command.saying ?? "");
        const { compare = command.exits === undefined ? settled : refusal } = command;
        expect(got.stdout + got.stderr, `kubectl ${command.line}`).toContain(command.saying ?? "");
        expect({ code: got.code, said: compare(got.stdout + got.stderr) }, `kubectl ${command.line}`).toEqual({
          code: wanted.code,
          said: compare(wanted.stdout + wanted.stderr),
        });
      }
    },
  );
});
