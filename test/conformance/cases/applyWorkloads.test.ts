import { conformance } from "../framework/conformance.ts";
import { containers, deployment } from "../framework/objects.ts";
import { apply, create, edit, get, jsonPatch, mergePatch, strategicPatch } from "../framework/requests.ts";

const env = (...list: object[]) => containers({ name: "app", env: list });
const ports = (...list: object[]) => containers({ name: "app", ports: list });
const volumes = (...list: object[]) => ({ spec: { template: { spec: { volumes: list } } } });

conformance("apply of a Deployment", [
  {
    name: "sets the defaults and owns what was applied only",
    steps: [apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }), get("deployments/web")],
  },
  {
    name: "that is applied again changes nothing",
    steps: [
      apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }),
      apply("deployments/web", deployment({ replicas: 2 })),
    ],
  },
  {
    name: "that changes the spec raises the generation, and one that changes labels does not",
    steps: [
      apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }),
      apply("deployments/web", deployment({ replicas: 3 })),
      apply("deployments/web", { ...deployment({ replicas: 3 }), metadata: { labels: { tier: "front" } } }),
    ],
  },
  {
    name: "that no longer names replicas falls back to the default",
    steps: [
      apply("deployments/web", deployment({ replicas: 5 }), { gives: 201 }),
      apply("deployments/web", deployment()),
      get("deployments/web"),
    ],
  },
  {
    name: "that no longer names replicas leaves them to another who applied them",
    steps: [
      apply("deployments/web", deployment({ replicas: 5 }), { gives: 201 }),
      apply("deployments/web", { spec: { replicas: 5 } }, { manager: "autoscaler" }),
      apply("deployments/web", deployment()),
    ],
  },
  {
    name: "without what is required is refused",
    steps: [apply("deployments/web", { spec: { replicas: 1 } }, { gives: 422, saying: "Required value" })],
  },
  {
    name: "adds a container beside another manager's",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", containers({ name: "sidecar", image: "envoy:1" }), { manager: "beta" }),
      apply("deployments/web", deployment()),
    ],
  },
  {
    name: "removes its container and leaves the other manager's",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", containers({ name: "sidecar", image: "envoy:1" }), { manager: "beta" }),
      apply("deployments/web", { spec: { replicas: 1 } }, { manager: "beta" }),
    ],
  },
  {
    name: "keeps the order of who applied first",
    steps: [
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
  },
  {
    name: "reorders its own containers",
    steps: [
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
  },
  {
    name: "puts a new entry where the configuration has it",
    steps: [
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
  },
  {
    name: "shares a container and divides its fields",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", containers({ name: "app", resources: { limits: { cpu: "1" } } }), { manager: "beta" }),
      apply("deployments/web", containers({ name: "app", resources: { requests: { cpu: "0.5" } } }), {
        manager: "gamma",
      }),
      get("deployments/web"),
    ],
  },
  {
    name: "of another's image is a conflict with the container's key in its path",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", containers({ name: "app", image: "nginx:2" }), {
        manager: "beta",
        gives: 409,
        saying: '.spec.template.spec.containers[name="app"].image',
      }),
    ],
  },
  {
    name: "of a resource quantity keeps how it was written",
    steps: [
      apply("deployments/web", deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } }), {
        gives: 201,
      }),
      apply("deployments/web", deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } })),
      apply("deployments/web", deployment({}, { resources: { limits: { cpu: "500m", memory: "512Mi" } } })),
    ],
  },
  {
    name: "of an environment variable that another manager has is a conflict",
    steps: [
      apply("deployments/web", deployment({}, { env: [{ name: "A", value: "1" }] }), { gives: 201 }),
      apply("deployments/web", env({ name: "A", value: "2" }, { name: "B", value: "2" }), {
        manager: "beta",
        gives: 409,
        saying: 'env[name="A"].value',
      }),
    ],
  },
  {
    name: "divides environment variables between managers",
    steps: [
      apply("deployments/web", deployment({}, { env: [{ name: "A", value: "1" }] }), { gives: 201 }),
      apply("deployments/web", env({ name: "B", value: "2" }), { manager: "beta" }),
      apply("deployments/web", deployment()),
      apply("deployments/web", env(), { manager: "beta" }),
    ],
  },
  {
    name: "of an environment variable twice is refused",
    steps: [
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
  },
  {
    name: "of a port without its protocol takes the default as part of the key",
    steps: [
      apply("deployments/web", deployment({}, { ports: [{ containerPort: 80 }] }), { gives: 201 }),
      apply("deployments/web", ports({ containerPort: 80, protocol: "TCP", name: "http" }), { manager: "beta" }),
    ],
  },
  {
    name: "of the same port with two protocols makes two entries",
    steps: [
      apply("deployments/web", deployment({}, { ports: [{ containerPort: 53 }] }), { gives: 201 }),
      apply("deployments/web", ports({ containerPort: 53, protocol: "UDP" }), { manager: "beta" }),
      apply("deployments/web", deployment()),
    ],
  },
  {
    name: "of a list entry without its key is refused",
    steps: [
      apply("deployments/web", containers({ image: "nginx" }), { gives: 422 }),
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", containers({ image: "nginx" }), {
        manager: "beta",
        gives: 422,
        saying: "containers[1].name",
      }),
    ],
  },
  {
    name: "of args replaces the whole list, which is atomic",
    steps: [
      apply("deployments/web", deployment({}, { args: ["a", "b"] }), { gives: 201 }),
      apply("deployments/web", deployment({}, { args: ["b", "c"] })),
      apply("deployments/web", containers({ name: "app", args: ["b"] }), {
        manager: "beta",
        gives: 409,
        saying: "args",
      }),
    ],
  },
  {
    name: "of volumes merges them by name",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", volumes({ name: "tmp", emptyDir: {} }), { manager: "beta" }),
      apply("deployments/web", volumes({ name: "conf", configMap: { name: "c" } }), { manager: "gamma" }),
      apply("deployments/web", volumes(), { manager: "beta" }),
    ],
  },
  {
    name: "that turns a volume into another kind of volume",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", volumes({ name: "v", emptyDir: {} }), { manager: "beta" }),
      apply("deployments/web", volumes({ name: "v", configMap: { name: "c" } }), { manager: "beta" }),
    ],
  },
  {
    name: "of the strategy alone fills in the rest",
    steps: [
      apply("deployments/web", deployment({ strategy: { rollingUpdate: { maxSurge: 1 } } }), { gives: 201 }),
      apply("deployments/web", deployment({ strategy: { type: "Recreate" } })),
    ],
  },
  {
    name: "of a percentage and of a number owns the same field",
    steps: [
      apply("deployments/web", deployment({ strategy: { rollingUpdate: { maxSurge: "50%" } } }), { gives: 201 }),
      apply("deployments/web", deployment({ strategy: { rollingUpdate: { maxSurge: 2 } } })),
    ],
  },
  {
    name: "of status is not tracked on the main resource",
    steps: [
      apply("deployments/web", { ...deployment(), status: { replicas: 3 } }, { gives: 201 }),
      apply("deployments/web", { ...deployment(), status: { replicas: 4 } }),
    ],
  },
  {
    name: "of another selector is refused as immutable",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply("deployments/web", deployment({ selector: { matchLabels: { app: "other" } } }), {
        gives: 422,
        saying: "immutable",
      }),
    ],
  },
  {
    name: "after kubectl scale conflicts with who scaled",
    steps: [
      apply("deployments/web", deployment({ replicas: 2 }), { gives: 201 }),
      mergePatch("deployments/web/scale", { spec: { replicas: 4 } }, { manager: "scaler" }),
      apply("deployments/web", deployment({ replicas: 2 }), {
        gives: 409,
        saying: 'conflict with "scaler" with subresource "scale"',
      }),
      apply("deployments/web", deployment({ replicas: 2 }), { force: true }),
    ],
  },
  {
    name: "after a strategic patch of the image conflicts with who patched",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      strategicPatch("deployments/web", containers({ name: "app", image: "nginx:2" }), { manager: "patcher" }),
      apply("deployments/web", deployment(), { gives: 409, saying: 'conflict with "patcher"' }),
    ],
  },
  {
    name: "after a JSON patch that removed an entry puts it back",
    steps: [
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
  },
  {
    name: "over an object made by create owns beside its creator, who keeps the defaults",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment({ replicas: 1 }) }, { manager: "creator" }),
      apply("deployments/web", deployment({ replicas: 1 })),
      apply("deployments/web", deployment({ replicas: 2 }), { gives: 409, saying: "creator" }),
    ],
  },
  {
    name: "an update that sets a default explicitly owns it",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      edit("deployments/web", { spec: { revisionHistoryLimit: 3 } }, { manager: "editor" }),
      edit("deployments/web", { spec: { revisionHistoryLimit: 10 } }, { manager: "other" }),
    ],
  },
  {
    name: "of no containers keeps those of others and is refused when there are none",
    steps: [
      apply("deployments/web", deployment(), { gives: 201 }),
      apply(
        "deployments/web",
        { spec: { selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } } } } },
        { gives: 422, saying: "containers: Required value" },
      ),
    ],
  },
]);
