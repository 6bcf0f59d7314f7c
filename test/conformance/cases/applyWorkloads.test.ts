import { conformance } from "../framework/conformance.ts";
import { containers, deployment } from "../framework/objects.ts";
import { apply, create, edit, get, jsonPatch, mergePatch, strategicPatch } from "../framework/requests.ts";

const env = (...list: object[]) => containers({ name: "app", env: list });
const ports = (...list: object[]) => containers({ name: "app", ports: list });
const volumes = (...list: object[]) => ({ spec: { template: { spec: { volumes: list } } } });

conformance("apply of a Deployment", {
  "sets the defaults and owns what was applied only": [
    apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }),
    get("deployments/web"),
  ],
  "that is applied again changes nothing": [
    apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }),
    apply("deployments/web", deployment({ replicas: 2 })),
  ],
  "that changes the spec raises the generation, and one that changes labels does not": [
    apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }),
    apply("deployments/web", deployment({ replicas: 3 })),
    apply("deployments/web", { ...deployment({ replicas: 3 }), metadata: { labels: { tier: "front" } } }),
  ],
  "that no longer names replicas falls back to the default": [
    apply("deployments/web", deployment({ replicas: 5 }), { gives: 201 }),
    apply("deployments/web", deployment()),
    get("deployments/web"),
  ],
  "that no longer names replicas leaves them to another who applied them": [
    apply("deployments/web", deployment({ replicas: 5 }), { gives: 201 }),
    apply("deployments/web", { spec: { replicas: 5 } }, { manager: "autoscaler" }),
    apply("deployments/web", deployment()),
  ],
  "without what is required is refused": [
    apply("deployments/web", { spec: { replicas: 1 } }, { gives: 422, saying: "Required value" }),
  ],
  "adds a container beside another manager's": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", containers({ name: "sidecar", image: "envoy:1" }), { manager: "beta" }),
    apply("deployments/web", deployment()),
  ],
  "removes its container and leaves the other manager's": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", containers({ name: "sidecar", image: "envoy:1" }), { manager: "beta" }),
    apply("deployments/web", { spec: { replicas: 1 } }, { manager: "beta" }),
  ],
  "keeps the order of who applied first": [
    apply(
      "deployments/web",
      deployment({
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [
              { name: "app", image: "a" },
              { name: "b", image: "b" },
            ],
          },
        },
      }),
      { gives: 201 },
    ),
    apply(
      "deployments/web",
      containers({ name: "c", image: "c" }, { name: "b", image: "b" }, { name: "d", image: "d" }),
      { manager: "beta" },
    ),
    apply("deployments/web", containers({ name: "d", image: "d" }, { name: "c", image: "c" }), { manager: "beta" }),
  ],
  "reorders its own containers": [
    apply(
      "deployments/web",
      deployment(
        {},
        {
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
        },
      ),
      { gives: 201 },
    ),
    apply(
      "deployments/web",
      deployment(
        {},
        {
          env: [
            { name: "B", value: "2" },
            { name: "A", value: "1" },
          ],
        },
      ),
    ),
  ],
  "puts a new entry where the configuration has it": [
    apply(
      "deployments/web",
      deployment(
        {},
        {
          env: [
            { name: "A", value: "1" },
            { name: "C", value: "3" },
          ],
        },
      ),
      { gives: 201 },
    ),
    apply(
      "deployments/web",
      deployment(
        {},
        {
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
            { name: "C", value: "3" },
          ],
        },
      ),
    ),
  ],
  "shares a container and divides its fields": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", containers({ name: "app", resources: { limits: { cpu: "1" } } }), { manager: "beta" }),
    apply("deployments/web", containers({ name: "app", resources: { requests: { cpu: "0.5" } } }), {
      manager: "gamma",
    }),
    get("deployments/web"),
  ],
  "of another's image is a conflict with the container's key in its path": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", containers({ name: "app", image: "nginx:2" }), {
      manager: "beta",
      gives: 409,
      saying: '.spec.template.spec.containers[name="app"].image',
    }),
  ],
  "of a resource quantity keeps how it was written": [
    apply("deployments/web", deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } }), {
      gives: 201,
    }),
    apply("deployments/web", deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } })),
    apply("deployments/web", deployment({}, { resources: { limits: { cpu: "500m", memory: "512Mi" } } })),
  ],
  "of an environment variable that another manager has is a conflict": [
    apply("deployments/web", deployment({}, { env: [{ name: "A", value: "1" }] }), { gives: 201 }),
    apply("deployments/web", env({ name: "A", value: "2" }, { name: "B", value: "2" }), {
      manager: "beta",
      gives: 409,
      saying: 'env[name="A"].value',
    }),
  ],
  "divides environment variables between managers": [
    apply("deployments/web", deployment({}, { env: [{ name: "A", value: "1" }] }), { gives: 201 }),
    apply("deployments/web", env({ name: "B", value: "2" }), { manager: "beta" }),
    apply("deployments/web", deployment()),
    apply("deployments/web", env(), { manager: "beta" }),
  ],
  "of an environment variable twice is refused": [
    apply(
      "deployments/web",
      deployment(
        {},
        {
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "2" },
          ],
        },
      ),
      {
        gives: 500,
        saying: "duplicate entries for key",
      },
    ),
  ],
  "of a port without its protocol takes the default as part of the key": [
    apply("deployments/web", deployment({}, { ports: [{ containerPort: 80 }] }), { gives: 201 }),
    apply("deployments/web", ports({ containerPort: 80, protocol: "TCP", name: "http" }), { manager: "beta" }),
  ],
  "of the same port with two protocols makes two entries": [
    apply("deployments/web", deployment({}, { ports: [{ containerPort: 53 }] }), { gives: 201 }),
    apply("deployments/web", ports({ containerPort: 53, protocol: "UDP" }), { manager: "beta" }),
    apply("deployments/web", deployment()),
  ],
  "of a list entry without its key is refused": [
    apply("deployments/web", containers({ image: "nginx" }), { gives: 422 }),
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", containers({ image: "nginx" }), {
      manager: "beta",
      gives: 422,
      saying: "containers[1].name",
    }),
  ],
  "of args replaces the whole list, which is atomic": [
    apply("deployments/web", deployment({}, { args: ["a", "b"] }), { gives: 201 }),
    apply("deployments/web", deployment({}, { args: ["b", "c"] })),
    apply("deployments/web", containers({ name: "app", args: ["b"] }), {
      manager: "beta",
      gives: 409,
      saying: "args",
    }),
  ],
  "of volumes merges them by name": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", volumes({ name: "tmp", emptyDir: {} }), { manager: "beta" }),
    apply("deployments/web", volumes({ name: "conf", configMap: { name: "c" } }), { manager: "gamma" }),
    apply("deployments/web", volumes(), { manager: "beta" }),
  ],
  "that turns a volume into another kind of volume": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", volumes({ name: "v", emptyDir: {} }), { manager: "beta" }),
    apply("deployments/web", volumes({ name: "v", configMap: { name: "c" } }), { manager: "beta" }),
  ],
  "of the strategy alone fills in the rest": [
    apply("deployments/web", deployment({ strategy: { rollingUpdate: { maxSurge: 1 } } }), { gives: 201 }),
    apply("deployments/web", deployment({ strategy: { type: "Recreate" } })),
  ],
  "of a percentage and of a number owns the same field": [
    apply("deployments/web", deployment({ strategy: { rollingUpdate: { maxSurge: "50%" } } }), { gives: 201 }),
    apply("deployments/web", deployment({ strategy: { rollingUpdate: { maxSurge: 2 } } })),
  ],
  "of status is not tracked on the main resource": [
    apply("deployments/web", { ...deployment(), status: { replicas: 3 } }, { gives: 201 }),
    apply("deployments/web", { ...deployment(), status: { replicas: 4 } }),
  ],
  "of another selector is refused as immutable": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply("deployments/web", deployment({ selector: { matchLabels: { app: "other" } } }), {
      gives: 422,
      saying: "immutable",
    }),
  ],
  "after kubectl scale conflicts with who scaled": [
    apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }),
    mergePatch("deployments/web/scale", { spec: { replicas: 4 } }, { manager: "scaler" }),
    apply("deployments/web", deployment({ replicas: 2 }), {
      gives: 409,
      saying: 'conflict with "scaler" with subresource "scale"',
    }),
    apply("deployments/web", deployment({ replicas: 2 }), { force: true }),
  ],
  "after a strategic patch of the image conflicts with who patched": [
    apply("deployments/web", deployment(), { gives: 201 }),
    strategicPatch("deployments/web", containers({ name: "app", image: "nginx:2" }), { manager: "patcher" }),
    apply("deployments/web", deployment(), { gives: 409, saying: 'conflict with "patcher"' }),
  ],
  "after a JSON patch that removed an entry puts it back": [
    apply(
      "deployments/web",
      deployment(
        {},
        {
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
        },
      ),
      { gives: 201 },
    ),
    jsonPatch("deployments/web", [{ op: "remove", path: "/spec/template/spec/containers/0/env/0" }], {
      manager: "patcher",
    }),
    apply(
      "deployments/web",
      deployment(
        {},
        {
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
        },
      ),
    ),
  ],
  "over an object made by create owns beside its creator, who keeps the defaults": [
    create("deployments", { metadata: { name: "web" }, ...deployment({ replicas: 1 }) }, { manager: "creator" }),
    apply("deployments/web", deployment({ replicas: 1 })),
    apply("deployments/web", deployment({ replicas: 2 }), { gives: 409, saying: "creator" }),
  ],
  "an update that sets a default explicitly owns it": [
    apply("deployments/web", deployment(), { gives: 201 }),
    edit("deployments/web", { spec: { revisionHistoryLimit: 3 } }, { manager: "editor" }),
    edit("deployments/web", { spec: { revisionHistoryLimit: 10 } }, { manager: "other" }),
  ],
  "of no containers keeps those of others and is refused when there are none": [
    apply("deployments/web", deployment(), { gives: 201 }),
    apply(
      "deployments/web",
      { spec: { selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } } } } },
      { gives: 422, saying: "containers: Required value" },
    ),
  ],
});
