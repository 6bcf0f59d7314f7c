import { conformance } from "../framework/conformance.ts";
import { at, containers, deployment, service } from "../framework/objects.ts";
import { create, get, strategicPatch } from "../framework/requests.ts";

const twoContainers = {
  template: {
    metadata: { labels: { app: "web" } },
    spec: {
      containers: [
        {
          name: "app",
          image: "nginx:1",
          args: ["a", "b"],
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
          ports: [{ containerPort: 80, name: "http" }],
          volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
        },
        { name: "sidecar", image: "envoy:1" },
      ],
      volumes: [{ name: "tmp", emptyDir: {} }],
      tolerations: [{ key: "a", operator: "Exists" }],
    },
  },
};
const web = [create("deployments", { metadata: { name: "web" }, ...deployment(twoContainers) })];
const podSpec = (spec: object) => ({ spec: { template: { spec } } });
const app = (fields: object) => containers({ name: "app", ...fields });

conformance("strategic merge patch of a Deployment", [
  {
    name: "changes the image of the container of that name",
    steps: [...web, strategicPatch("deployments/web", app({ image: "nginx:2" }))],
  },
  {
    name: "adds a container with a new name in front",
    steps: [...web, strategicPatch("deployments/web", containers({ name: "extra", image: "x:1" }))],
  },
  {
    name: "of a container without its name is refused",
    steps: [
      ...web,
      strategicPatch("deployments/web", containers({ image: "x" }), {
        gives: 500,
        saying: "does not contain declared merge key",
      }),
    ],
  },
  {
    name: "$patch: delete removes a container",
    steps: [...web, strategicPatch("deployments/web", containers({ name: "sidecar", $patch: "delete" }))],
  },
  {
    name: "$patch: delete of what is not there changes nothing",
    steps: [...web, strategicPatch("deployments/web", containers({ name: "none", $patch: "delete" }))],
  },
  {
    name: "$patch: replace puts another list in the list's place",
    steps: [
      ...web,
      strategicPatch("deployments/web", containers({ name: "app", image: "new:1" }, { $patch: "replace" })),
    ],
  },
  {
    name: "$patch: replace in a map replaces the map",
    steps: [...web, strategicPatch("deployments/web", { spec: { strategy: { $patch: "replace", type: "Recreate" } } })],
  },
  {
    name: "$patch: delete in a map empties it",
    steps: [...web, strategicPatch("deployments/web", podSpec({ securityContext: { $patch: "delete" } }))],
  },
  {
    name: "an unknown $patch is refused",
    steps: [
      ...web,
      strategicPatch("deployments/web", { spec: { strategy: { $patch: "frob" } } }, { gives: 500, saying: "frob" }),
    ],
  },
  {
    name: "merges environment variables by name",
    steps: [
      ...web,
      strategicPatch(
        "deployments/web",
        app({
          env: [
            { name: "B", value: "9" },
            { name: "C", value: "3" },
          ],
        }),
      ),
    ],
  },
  {
    name: "removes an environment variable",
    steps: [...web, strategicPatch("deployments/web", app({ env: [{ name: "A", $patch: "delete" }] }))],
  },
  {
    name: "$setElementOrder puts the elements in that order",
    steps: [
      ...web,
      strategicPatch(
        "deployments/web",
        podSpec({
          "$setElementOrder/containers": [{ name: "sidecar" }, { name: "app" }],
          containers: [{ name: "app", image: "nginx:3" }],
        }),
      ),
    ],
  },
  {
    name: "$setElementOrder that lacks an element of the patch is refused",
    steps: [
      ...web,
      strategicPatch(
        "deployments/web",
        podSpec({ "$setElementOrder/containers": [{ name: "sidecar" }], containers: [{ name: "app", image: "x" }] }),
        { gives: 500 },
      ),
    ],
  },
  {
    name: "$setElementOrder puts new elements among the old",
    steps: [
      ...web,
      strategicPatch(
        "deployments/web",
        app({
          "$setElementOrder/env": [{ name: "A" }, { name: "N" }, { name: "B" }],
          env: [{ name: "N", value: "n" }],
        }),
      ),
    ],
  },
  {
    name: "$retainKeys drops the other keys of a map",
    steps: [
      ...web,
      strategicPatch("deployments/web", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    ],
  },
  {
    name: "$retainKeys in a volume turns it into another kind",
    steps: [
      ...web,
      strategicPatch(
        "deployments/web",
        podSpec({ volumes: [{ name: "tmp", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] }),
      ),
    ],
  },
  {
    name: "a volume of two kinds is refused",
    steps: [
      ...web,
      strategicPatch("deployments/web", podSpec({ volumes: [{ name: "tmp", configMap: { name: "c" } }] }), {
        gives: 422,
        saying: "may not specify more than 1 volume type",
      }),
    ],
  },
  { name: "replaces lists of plain values", steps: [...web, strategicPatch("deployments/web", app({ args: ["c"] }))] },
  {
    name: "merges ports by their number",
    steps: [
      ...web,
      strategicPatch("deployments/web", app({ ports: [{ containerPort: 81 }, { containerPort: 80, name: "web" }] })),
    ],
  },
  {
    name: "merges mounts by their path",
    steps: [
      ...web,
      strategicPatch(
        "deployments/web",
        app({
          volumeMounts: [
            { name: "tmp", mountPath: "/tmp", readOnly: true },
            { name: "tmp", mountPath: "/var" },
          ],
        }),
      ),
    ],
  },
  {
    name: "replaces tolerations, which have no key",
    steps: [...web, strategicPatch("deployments/web", podSpec({ tolerations: [{ key: "b", operator: "Exists" }] }))],
  },
  { name: "null removes a field", steps: [...web, strategicPatch("deployments/web", app({ args: null }))] },
  {
    name: "null removes a whole list with keys",
    steps: [...web, strategicPatch("deployments/web", podSpec({ tolerations: null }))],
  },
  {
    name: "null of a required list is refused",
    steps: [
      ...web,
      strategicPatch("deployments/web", podSpec({ containers: null }), { gives: 422, saying: "Required value" }),
    ],
  },
  {
    name: "of the same values changes nothing",
    steps: [...web, strategicPatch("deployments/web", app({ image: "nginx:1" }))],
  },
  {
    name: "adds annotations to the template, as rollout restart does",
    steps: [
      ...web,
      strategicPatch("deployments/web", {
        spec: {
          template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2020-01-01T00:00:00Z" } } },
        },
      }),
    ],
  },
  {
    name: "of a list where a map should be is refused",
    steps: [
      ...web,
      strategicPatch("deployments/web", { spec: [] }, { gives: 422, saying: "cannot restore struct from: slice" }),
    ],
  },
  {
    name: "of a map where a list should be is refused",
    steps: [
      ...web,
      strategicPatch("deployments/web", podSpec({ containers: { name: "a" } }), {
        gives: 422,
        saying: "cannot restore slice from map",
      }),
    ],
  },
  {
    name: "of an unknown field ignores it, and warns when asked",
    steps: [
      ...web,
      strategicPatch("deployments/web", { spec: { frob: 1 } }),
      strategicPatch(
        "deployments/web",
        { spec: { frob: 1 } },
        { fieldValidation: "Warn", saying: 'unknown field "spec.frob"' },
      ),
      strategicPatch(
        "deployments/web",
        { spec: { frob: 1 } },
        { fieldValidation: "Strict", gives: 422, saying: 'unknown field "spec.frob"' },
      ),
    ],
  },
  {
    name: "of the status through its subresource merges conditions by type",
    steps: [
      ...web,
      strategicPatch("deployments/web/status", { status: { conditions: [{ type: "A", status: "True" }] } }),
      strategicPatch("deployments/web/status", {
        status: {
          conditions: [
            { type: "B", status: "False" },
            { type: "A", status: "Unknown" },
          ],
        },
      }),
    ],
  },
]);

const annotated = (metadata: object) => [
  create("configmaps", { metadata: { name: "a", ...metadata }, data: { x: "1" } }),
];

conformance("strategic merge patch of other kinds", [
  {
    name: "merges a Service's ports by port",
    steps: [
      create("services", {
        metadata: { name: "s" },
        ...service({
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 81 },
          ],
        }),
      }),
      strategicPatch("services/s", {
        spec: {
          ports: [
            { port: 81, targetPort: 8081 },
            { name: "c", port: 82 },
          ],
        },
      }),
      strategicPatch("services/s", { spec: { ports: [{ port: 80, $patch: "delete" }] } }),
    ],
  },
  {
    name: "replaces the values of a selector key by key",
    steps: [
      create("services", { metadata: { name: "s" }, ...service() }),
      strategicPatch("services/s", { spec: { selector: { tier: "front" } } }),
    ],
  },
  {
    name: "adds finalizers to the set",
    steps: [
      ...annotated({ finalizers: ["example.com/a"] }),
      strategicPatch("configmaps/a", { metadata: { finalizers: ["example.com/b"] } }),
    ],
  },
  {
    name: "$deleteFromPrimitiveList takes finalizers out of the set",
    steps: [
      ...annotated({ finalizers: ["example.com/a", "example.com/b"] }),
      strategicPatch("configmaps/a", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }),
    ],
  },
  {
    name: "$setElementOrder orders finalizers",
    steps: [
      ...annotated({ finalizers: ["example.com/a", "example.com/b"] }),
      strategicPatch("configmaps/a", {
        metadata: {
          "$setElementOrder/finalizers": ["example.com/c", "example.com/b", "example.com/a"],
          finalizers: ["example.com/c"],
        },
      }),
    ],
  },
  {
    name: "merges owner references by uid",
    steps: [
      ...annotated({
        ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: "s", uid: "11111111-1111-1111-1111-111111111111" }],
      }),
      strategicPatch("configmaps/a", {
        metadata: {
          ownerReferences: [
            { uid: "11111111-1111-1111-1111-111111111111", $patch: "delete" },
            { apiVersion: "v1", kind: "Secret", name: "t", uid: "22222222-2222-2222-2222-222222222222" },
          ],
        },
      }),
    ],
  },
  {
    name: "$patch: delete at the top empties the object and is refused",
    steps: [...annotated({}), strategicPatch("configmaps/a", { $patch: "delete" }, { gives: 400 })],
  },
  {
    name: "$patch: replace at the top loses the name and is refused",
    steps: [...annotated({}), strategicPatch("configmaps/a", { $patch: "replace", data: { y: "1" } }, { gives: 400 })],
  },
  {
    name: "of a custom resource is not supported",
    steps: [
      create("widgets", { metadata: { name: "w" } }),
      strategicPatch("widgets/w", { spec: {} }, { gives: 415, saying: "application/apply-patch+yaml" }),
    ],
  },
  { name: "of an empty patch changes nothing", steps: [...annotated({}), strategicPatch("configmaps/a", {})] },
  {
    name: "of what is no JSON is refused",
    steps: [...annotated({}), strategicPatch("configmaps/a", "nonsense", { gives: 400, see: at("code") })],
  },
  {
    name: "with an old resourceVersion is a conflict",
    steps: [
      ...annotated({}),
      strategicPatch("configmaps/a", { metadata: { resourceVersion: "1" }, data: { y: "1" } }, { gives: 409 }),
    ],
  },
  {
    name: "as a dry run changes nothing",
    steps: [
      ...annotated({}),
      strategicPatch("configmaps/a", { data: { y: "1" } }, { dryRun: "All" }),
      get("configmaps/a"),
    ],
  },
  {
    name: "of a ServiceAccount's image pull secrets merges them by name",
    steps: [
      create("serviceaccounts", { metadata: { name: "s" }, imagePullSecrets: [{ name: "a" }] }),
      strategicPatch("serviceaccounts/s", { imagePullSecrets: [{ name: "b" }] }),
    ],
  },
  {
    name: "of a Secret's stringData writes data",
    steps: [
      create("secrets", { metadata: { name: "s" }, data: { a: "YQ==" } }),
      strategicPatch("secrets/s", { stringData: { b: "b", a: "c" } }),
    ],
  },
]);
