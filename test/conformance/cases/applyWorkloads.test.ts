import { conformance } from "../framework/conformance.ts";
import { containers, deployment, variables } from "../framework/objects.ts";
import {
  apply,
  create,
  edit,
  get,
  jsonPatch,
  mergePatch,
  strategicPatch,
  type AskOptions,
} from "../framework/requests.ts";

/** The first apply, which creates the object. */
const first = (config: object) => apply("deployments/web", config, { gives: 201 });
const again = (config: unknown, options?: AskOptions) => apply("deployments/web", config, options);

const env = (...list: object[]) => containers({ name: "app", env: list });
const ports = (...list: object[]) => containers({ name: "app", ports: list });
const volumes = (...list: object[]) => ({ spec: { template: { spec: { volumes: list } } } });

conformance("apply of a Deployment", {
  "sets the defaults and owns what was applied only": [first(deployment({ replicas: 2 })), get("deployments/web")],
  "that is applied again changes nothing": [first(deployment({ replicas: 2 })), again(deployment({ replicas: 2 }))],
  "that changes the spec raises the generation, and one that changes labels does not": [
    first(deployment({ replicas: 2 })),
    again(deployment({ replicas: 3 })),
    again({ ...deployment({ replicas: 3 }), metadata: { labels: { tier: "front" } } }),
  ],
  "that no longer names replicas falls back to the default": [
    first(deployment({ replicas: 5 })),
    again(deployment()),
    get("deployments/web"),
  ],
  "that no longer names replicas leaves them to another who applied them": [
    first(deployment({ replicas: 5 })),
    again({ spec: { replicas: 5 } }, { manager: "autoscaler" }),
    again(deployment()),
  ],
  "without what is required is refused": [again({ spec: { replicas: 1 } }, { gives: 422, saying: "Required value" })],
  "adds a container beside another manager's": [
    first(deployment()),
    again(containers({ name: "sidecar", image: "envoy:1" }), { manager: "beta" }),
    again(deployment()),
  ],
  "removes its container and leaves the other manager's": [
    first(deployment()),
    again(containers({ name: "sidecar", image: "envoy:1" }), { manager: "beta" }),
    again({ spec: { replicas: 1 } }, { manager: "beta" }),
  ],
  "keeps the order of who applied first": [
    first(
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
    ),
    again(containers({ name: "c", image: "c" }, { name: "b", image: "b" }, { name: "d", image: "d" }), {
      manager: "beta",
    }),
    again(containers({ name: "d", image: "d" }, { name: "c", image: "c" }), { manager: "beta" }),
  ],
  "reorders its own containers": [
    first(deployment({}, { env: variables("A=1", "B=2") })),
    again(deployment({}, { env: variables("B=2", "A=1") })),
  ],
  "puts a new entry where the configuration has it": [
    first(deployment({}, { env: variables("A=1", "C=3") })),
    again(deployment({}, { env: variables("A=1", "B=2", "C=3") })),
  ],
  "shares a container and divides its fields": [
    first(deployment()),
    again(containers({ name: "app", resources: { limits: { cpu: "1" } } }), { manager: "beta" }),
    again(containers({ name: "app", resources: { requests: { cpu: "0.5" } } }), { manager: "gamma" }),
    get("deployments/web"),
  ],
  "of another's image is a conflict with the container's key in its path": [
    first(deployment()),
    again(containers({ name: "app", image: "nginx:2" }), {
      manager: "beta",
      gives: 409,
      saying: '.spec.template.spec.containers[name="app"].image',
    }),
  ],
  "of a resource quantity keeps how it was written": [
    first(deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } })),
    again(deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } })),
    again(deployment({}, { resources: { limits: { cpu: "500m", memory: "512Mi" } } })),
  ],
  "of an environment variable that another manager has is a conflict": [
    first(deployment({}, { env: [{ name: "A", value: "1" }] })),
    again(env({ name: "A", value: "2" }, { name: "B", value: "2" }), {
      manager: "beta",
      gives: 409,
      saying: 'env[name="A"].value',
    }),
  ],
  "divides environment variables between managers": [
    first(deployment({}, { env: [{ name: "A", value: "1" }] })),
    again(env({ name: "B", value: "2" }), { manager: "beta" }),
    again(deployment()),
    again(env(), { manager: "beta" }),
  ],
  "of an environment variable twice is refused": [
    again(deployment({}, { env: variables("A=1", "A=2") }), { gives: 500, saying: "duplicate entries for key" }),
  ],
  "of a port without its protocol takes the default as part of the key": [
    first(deployment({}, { ports: [{ containerPort: 80 }] })),
    again(ports({ containerPort: 80, protocol: "TCP", name: "http" }), { manager: "beta" }),
  ],
  "of the same port with two protocols makes two entries": [
    first(deployment({}, { ports: [{ containerPort: 53 }] })),
    again(ports({ containerPort: 53, protocol: "UDP" }), { manager: "beta" }),
    again(deployment()),
  ],
  "of a list entry without its key is refused": [
    again(containers({ image: "nginx" }), { gives: 422 }),
    first(deployment()),
    again(containers({ image: "nginx" }), { manager: "beta", gives: 422, saying: "containers[1].name" }),
  ],
  "of args replaces the whole list, which is atomic": [
    first(deployment({}, { args: ["a", "b"] })),
    again(deployment({}, { args: ["b", "c"] })),
    again(containers({ name: "app", args: ["b"] }), { manager: "beta", gives: 409, saying: "args" }),
  ],
  "of volumes merges them by name": [
    first(deployment()),
    again(volumes({ name: "tmp", emptyDir: {} }), { manager: "beta" }),
    again(volumes({ name: "conf", configMap: { name: "c" } }), { manager: "gamma" }),
    again(volumes(), { manager: "beta" }),
  ],
  "that turns a volume into another kind of volume": [
    first(deployment()),
    again(volumes({ name: "v", emptyDir: {} }), { manager: "beta" }),
    again(volumes({ name: "v", configMap: { name: "c" } }), { manager: "beta" }),
  ],
  "of the strategy alone fills in the rest": [
    first(deployment({ strategy: { rollingUpdate: { maxSurge: 1 } } })),
    again(deployment({ strategy: { type: "Recreate" } })),
  ],
  "of a percentage and of a number owns the same field": [
    first(deployment({ strategy: { rollingUpdate: { maxSurge: "50%" } } })),
    again(deployment({ strategy: { rollingUpdate: { maxSurge: 2 } } })),
  ],
  "of status is not tracked on the main resource": [
    first({ ...deployment(), status: { replicas: 3 } }),
    again({ ...deployment(), status: { replicas: 4 } }),
  ],
  "of another selector is refused as immutable": [
    first(deployment()),
    again(deployment({ selector: { matchLabels: { app: "other" } } }), { gives: 422, saying: "immutable" }),
  ],
  "after kubectl scale conflicts with who scaled": [
    first(deployment({ replicas: 2 })),
    mergePatch("deployments/web/scale", { spec: { replicas: 4 } }, { manager: "scaler" }),
    again(deployment({ replicas: 2 }), { gives: 409, saying: 'conflict with "scaler" with subresource "scale"' }),
    again(deployment({ replicas: 2 }), { force: true }),
  ],
  "after a strategic patch of the image conflicts with who patched": [
    first(deployment()),
    strategicPatch("deployments/web", containers({ name: "app", image: "nginx:2" }), { manager: "patcher" }),
    again(deployment(), { gives: 409, saying: 'conflict with "patcher"' }),
  ],
  "after a JSON patch that removed an entry puts it back": [
    first(deployment({}, { env: variables("A=1", "B=2") })),
    jsonPatch("deployments/web", [{ op: "remove", path: "/spec/template/spec/containers/0/env/0" }], {
      manager: "patcher",
    }),
    again(deployment({}, { env: variables("A=1", "B=2") })),
  ],
  "over an object made by create owns beside its creator, who keeps the defaults": [
    create("deployments", { metadata: { name: "web" }, ...deployment({ replicas: 1 }) }, { manager: "creator" }),
    again(deployment({ replicas: 1 })),
    again(deployment({ replicas: 2 }), { gives: 409, saying: "creator" }),
  ],
  "an update that sets a default explicitly owns it": [
    first(deployment()),
    edit("deployments/web", { spec: { revisionHistoryLimit: 3 } }, { manager: "editor" }),
    edit("deployments/web", { spec: { revisionHistoryLimit: 10 } }, { manager: "other" }),
  ],
  "of no containers keeps those of others and is refused when there are none": [
    first(deployment()),
    again(
      { spec: { selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } } } } },
      { gives: 422, saying: "containers: Required value" },
    ),
  ],
});
