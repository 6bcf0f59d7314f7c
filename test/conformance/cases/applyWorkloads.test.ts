import { conformance } from "../framework/conformance.ts";
import { containers, deployment, variables } from "../framework/objects.ts";
import { apply, get, mergePatch, type AskOptions } from "../framework/requests.ts";

/** The first apply, which creates the object. */
const first = (config: object) => apply("deployments/web", config, { gives: 201 });
const again = (config: unknown, options?: AskOptions) => apply("deployments/web", config, options);

const volumes = (...list: object[]) => ({ spec: { template: { spec: { volumes: list } } } });

conformance("apply of a Deployment", {
  "sets the defaults and owns what was applied only": [first(deployment({ replicas: 2 })), get("deployments/web")],
  "without what is required is refused": [again({ spec: { replicas: 1 } }, { gives: 422, saying: "Required value" })],
  "of a resource quantity keeps how it was written": [
    first(deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } })),
    again(deployment({}, { resources: { limits: { cpu: 0.5, memory: "0.5Gi" } } })),
    again(deployment({}, { resources: { limits: { cpu: "500m", memory: "512Mi" } } })),
  ],
  "of an environment variable twice is refused": [
    again(deployment({}, { env: variables("A=1", "A=2") }), { gives: 500, saying: "duplicate entries for key" }),
  ],
  "of a list entry without its key is refused": [
    again(containers({ image: "nginx" }), { gives: 422 }),
    first(deployment()),
    again(containers({ image: "nginx" }), { manager: "beta", gives: 422, saying: "containers[1].name" }),
  ],
  "that turns a volume into another kind of volume": [
    first(deployment()),
    again(volumes({ name: "v", emptyDir: {} }), { manager: "beta" }),
    again(volumes({ name: "v", configMap: { name: "c" } }), { manager: "beta" }),
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
  "of no containers keeps those of others and is refused when there are none": [
    first(deployment()),
    again(
      { spec: { selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } } } } },
      { gives: 422, saying: "containers: Required value" },
    ),
  ],
});
