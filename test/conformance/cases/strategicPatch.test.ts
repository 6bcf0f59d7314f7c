import { conformance } from "../framework/conformance.ts";
import { containers, deployment, service, variables } from "../framework/objects.ts";
import { create, strategicPatch, type AskOptions } from "../framework/requests.ts";

const patched = (patch: unknown, options?: AskOptions) => strategicPatch("deployments/web", patch, options);

const twoContainers = {
  template: {
    metadata: { labels: { app: "web" } },
    spec: {
      containers: [
        {
          name: "app",
          image: "nginx:1",
          args: ["a", "b"],
          env: variables("A=1", "B=2"),
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

conformance(
  "strategic merge patch of a Deployment",
  {
    "changes the image of the container of that name": [patched(app({ image: "nginx:2" }))],
    "adds a container with a new name in front": [patched(containers({ name: "extra", image: "x:1" }))],
    "of a container without its name is refused": [
      patched(containers({ image: "x" }), { gives: 500, saying: "does not contain declared merge key" }),
    ],
    "$patch: delete removes a container": [patched(containers({ name: "sidecar", $patch: "delete" }))],
    "$patch: delete of what is not there changes nothing": [patched(containers({ name: "none", $patch: "delete" }))],
    "$patch: replace puts another list in the list's place": [
      patched(containers({ name: "app", image: "new:1" }, { $patch: "replace" })),
    ],
    "$patch: replace in a map replaces the map": [
      patched({ spec: { strategy: { $patch: "replace", type: "Recreate" } } }),
    ],
    "$patch: delete in a map empties it": [patched(podSpec({ securityContext: { $patch: "delete" } }))],
    "an unknown $patch is refused": [
      patched({ spec: { strategy: { $patch: "frob" } } }, { gives: 500, saying: "frob" }),
    ],
    "merges environment variables by name": [patched(app({ env: variables("B=9", "C=3") }))],
    "removes an environment variable": [patched(app({ env: [{ name: "A", $patch: "delete" }] }))],
    "$setElementOrder puts the elements in that order": [
      patched(
        podSpec({
          "$setElementOrder/containers": [{ name: "sidecar" }, { name: "app" }],
          containers: [{ name: "app", image: "nginx:3" }],
        }),
      ),
    ],
    "$setElementOrder that lacks an element of the patch is refused": [
      patched(
        podSpec({ "$setElementOrder/containers": [{ name: "sidecar" }], containers: [{ name: "app", image: "x" }] }),
        { gives: 500 },
      ),
    ],
    "$setElementOrder puts new elements among the old": [
      patched(
        app({
          "$setElementOrder/env": [{ name: "A" }, { name: "N" }, { name: "B" }],
          env: [{ name: "N", value: "n" }],
        }),
      ),
    ],
    "$retainKeys drops the other keys of a map": [
      patched({ spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    ],
    "$retainKeys in a volume turns it into another kind": [
      patched(podSpec({ volumes: [{ name: "tmp", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] })),
    ],
    "a volume of two kinds is refused": [
      patched(podSpec({ volumes: [{ name: "tmp", configMap: { name: "c" } }] }), {
        gives: 422,
        saying: "may not specify more than 1 volume type",
      }),
    ],
    "replaces lists of plain values": [patched(app({ args: ["c"] }))],
    "merges ports by their number": [
      patched(app({ ports: [{ containerPort: 81 }, { containerPort: 80, name: "web" }] })),
    ],
    "merges mounts by their path": [
      patched(
        app({
          volumeMounts: [
            { name: "tmp", mountPath: "/tmp", readOnly: true },
            { name: "tmp", mountPath: "/var" },
          ],
        }),
      ),
    ],
    "replaces tolerations, which have no key": [patched(podSpec({ tolerations: [{ key: "b", operator: "Exists" }] }))],
    "null removes a field": [patched(app({ args: null }))],
    "null removes a whole list with keys": [patched(podSpec({ tolerations: null }))],
    "null of a required list is refused": [
      patched(podSpec({ containers: null }), { gives: 422, saying: "Required value" }),
    ],
    "of the same values changes nothing": [patched(app({ image: "nginx:1" }))],
    "adds annotations to the template, as rollout restart does": [
      patched({
        spec: {
          template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2020-01-01T00:00:00Z" } } },
        },
      }),
    ],
    "of a list where a map should be is refused": [
      patched({ spec: [] }, { gives: 422, saying: "cannot restore struct from: slice" }),
    ],
    "of a map where a list should be is refused": [
      patched(podSpec({ containers: { name: "a" } }), { gives: 422, saying: "cannot restore slice from map" }),
    ],
    "of an unknown field ignores it, and warns when asked": [
      patched({ spec: { frob: 1 } }),
      patched({ spec: { frob: 1 } }, { fieldValidation: "Warn", saying: 'unknown field "spec.frob"' }),
      patched({ spec: { frob: 1 } }, { fieldValidation: "Strict", gives: 422, saying: 'unknown field "spec.frob"' }),
    ],
    "of the status through its subresource merges conditions by type": [
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
  { before: web },
);

const annotated = (metadata: object) => [
  create("configmaps", { metadata: { name: "a", ...metadata }, data: { x: "1" } }),
];

conformance("strategic merge patch of other kinds", {
  "merges a Service's ports by port": [
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
  "replaces the values of a selector key by key": [
    create("services", { metadata: { name: "s" }, ...service() }),
    strategicPatch("services/s", { spec: { selector: { tier: "front" } } }),
  ],
  "adds finalizers to the set": [
    ...annotated({ finalizers: ["example.com/a"] }),
    strategicPatch("configmaps/a", { metadata: { finalizers: ["example.com/b"] } }),
  ],
  "$deleteFromPrimitiveList takes finalizers out of the set": [
    ...annotated({ finalizers: ["example.com/a", "example.com/b"] }),
    strategicPatch("configmaps/a", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }),
  ],
  "$setElementOrder orders finalizers": [
    ...annotated({ finalizers: ["example.com/a", "example.com/b"] }),
    strategicPatch("configmaps/a", {
      metadata: {
        "$setElementOrder/finalizers": ["example.com/c", "example.com/b", "example.com/a"],
        finalizers: ["example.com/c"],
      },
    }),
  ],
  "merges owner references by uid": [
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
  "$patch: delete at the top empties the object and is refused": [
    ...annotated({}),
    strategicPatch("configmaps/a", { $patch: "delete" }, { gives: 400 }),
  ],
  "$patch: replace at the top loses the name and is refused": [
    ...annotated({}),
    strategicPatch("configmaps/a", { $patch: "replace", data: { y: "1" } }, { gives: 400 }),
  ],
  "of a custom resource is not supported": [
    create("widgets", { metadata: { name: "w" } }),
    strategicPatch("widgets/w", { spec: {} }, { gives: 415, saying: "application/apply-patch+yaml" }),
  ],
  "of a ServiceAccount's image pull secrets merges them by name": [
    create("serviceaccounts", { metadata: { name: "s" }, imagePullSecrets: [{ name: "a" }] }),
    strategicPatch("serviceaccounts/s", { imagePullSecrets: [{ name: "b" }] }),
  ],
  "of a Secret's stringData writes data": [
    create("secrets", { metadata: { name: "s" }, data: { a: "YQ==" } }),
    strategicPatch("secrets/s", { stringData: { b: "b", a: "c" } }),
  ],
});
