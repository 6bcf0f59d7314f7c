import { fc } from "@fast-check/vitest";

/** What random documents are made of, and the templates of pods in them. */

export type Content = Record<string, unknown>;

export const word = fc.constantFrom("a", "b", "c", "yes", "0400", "1e3", "");
const image = fc.constantFrom("busybox:1", "busybox:2", "nginx:latest");
export const percent = fc.constantFrom<string | number>(1, 2, "25%", "50%");
export const seconds = fc.constantFrom(1, 5, 30, 600);

/** Fields that may each be there or not. */
export const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Content> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Content>;
/** These fields, and fields that may be there. */
export const withSome = (
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Content> =>
  fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) }) as fc.Arbitrary<Content>;
export const listOf = <T>(item: fc.Arbitrary<T>, minLength = 0, maxLength = 3): fc.Arbitrary<T[]> =>
  fc.array(item, { minLength, maxLength });
/** A list in any order, of which no two items have the same value of any of these fields. */
export const keyed = (item: fc.Arbitrary<Content>, keys: string[], minLength = 0): fc.Arbitrary<Content[]> =>
  listOf(item, minLength).map((items) =>
    items.filter((one, at) => items.findIndex((other) => keys.some((key) => one[key] === other[key])) === at),
  );
export const mapOf = (keys: string[], value: fc.Arbitrary<string> = word): fc.Arbitrary<Record<string, string>> =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 3 });
export const one = (value: unknown): fc.Arbitrary<unknown> => fc.constant(value);

const quantities = mapOf(["cpu", "memory", "ephemeral-storage"], fc.constantFrom("0.5", "500m", "1", "1000", "2Gi"));
const handler = fc.oneof(
  some({ path: word, port: fc.constantFrom<string | number>(80, "web") }).map((get) => ({
    httpGet: { port: 80, ...get },
  })),
  one({ exec: { command: ["true"] } }),
  one({ tcpSocket: { port: 80 } }),
);
const probe = fc
  .tuple(handler, some({ initialDelaySeconds: seconds, periodSeconds: seconds, timeoutSeconds: seconds }))
  .map(([how, when]) => ({ ...(how as Content), ...when }));
const variable = withSome({ name: fc.constantFrom("A", "B", "C", "D") }, { value: word });
const container = (names: string[]): fc.Arbitrary<Content> =>
  withSome(
    // Where the policy is not named, the server takes one by the tag of the first image.
    { name: fc.constantFrom(...names), image, imagePullPolicy: fc.constantFrom("Always", "IfNotPresent") },
    {
      command: listOf(word, 1),
      args: listOf(word),
      env: keyed(variable, ["name"]),
      envFrom: listOf(one({ configMapRef: { name: "none", optional: true } }), 0, 1),
      ports: keyed(
        withSome(
          { containerPort: fc.constantFrom(80, 81, 82) },
          { name: fc.constantFrom("web", "admin"), protocol: fc.constantFrom("TCP", "UDP") },
        ),
        ["containerPort", "name"],
      ).map((ports) => ports.filter(({ name }, at) => name === undefined || at === 0)),
      resources: some({
        limits: one({ cpu: "4", memory: "4Gi", "ephemeral-storage": "4Gi" }),
        requests: fittingRequests(),
      }),
      volumeMounts: keyed(
        withSome(
          { name: one("scratch"), mountPath: fc.constantFrom("/a", "/b") },
          { readOnly: fc.boolean(), subPath: fc.constantFrom("x", "y") },
        ),
        ["mountPath"],
      ),
      livenessProbe: probe.map((given) => ({ ...given, successThreshold: 1 })),
      readinessProbe: probe,
      securityContext: some({ runAsNonRoot: fc.boolean(), runAsUser: fc.constantFrom(1000, 2000) }),
      lifecycle: one({ preStop: { exec: { command: ["sleep", "1"] } } }),
      tty: fc.boolean(),
    },
  );

function fittingRequests(): fc.Arbitrary<Record<string, string>> {
  return quantities.map((given) =>
    Object.fromEntries(
      Object.entries(given).map(([name, size]) => [name, name === "cpu" && /Gi|000/.test(size) ? "1" : size]),
    ),
  );
}

const podSpec = (restartPolicy?: string): fc.Arbitrary<Content> =>
  withSome(
    {
      containers: keyed(container(["web", "side", "log"]), ["name"], 1),
      volumes: fc
        .subarray([
          { name: "config", configMap: { name: "none", optional: true, defaultMode: 256 } },
          {
            name: "both",
            projected: {
              sources: [{ downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } }],
            },
          },
          { name: "secret", secret: { secretName: "none", optional: true } },
        ])
        .map((more) => [{ name: "scratch", emptyDir: {} }, ...more]),
      ...(restartPolicy === undefined ? {} : { restartPolicy: one(restartPolicy) }),
    },
    {
      initContainers: keyed(container(["init", "wait"]), ["name"]).map((all) =>
        all.map(({ livenessProbe: _, readinessProbe: __, lifecycle: ___, ...given }) => given),
      ),
      terminationGracePeriodSeconds: seconds,
      nodeSelector: mapOf(["disk", "zone"]),
      tolerations: listOf(
        withSome({ operator: one("Exists") }, { key: fc.constantFrom("a", "b"), effect: one("NoSchedule") }),
      ),
      hostAliases: keyed(
        withSome({ ip: fc.constantFrom("10.0.0.1", "10.0.0.2") }, { hostnames: listOf(fc.constantFrom("a.b", "c.d")) }),
        ["ip"],
      ),
      imagePullSecrets: keyed(withSome({ name: fc.constantFrom("pull", "other") }, {}), ["name"]),
      securityContext: some({ fsGroup: fc.constantFrom(1000, 2000), sysctls: one([]) }),
      dnsConfig: some({
        searches: listOf(fc.constantFrom("a.b", "c.d")),
        options: listOf(one({ name: "ndots", value: "2" }), 0, 1),
      }),
      affinity: some({
        nodeAffinity: one({
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["a"] }] } },
          ],
        }),
        podAntiAffinity: one({}),
      }),
      topologySpreadConstraints: listOf(
        withSome(
          {
            maxSkew: fc.constantFrom(1, 2),
            topologyKey: one("zone"),
            whenUnsatisfiable: one("ScheduleAnyway"),
            labelSelector: one({ matchLabels: { app: "x" } }),
          },
          {},
        ),
        0,
        1,
      ),
      enableServiceLinks: fc.boolean(),
      priorityClassName: one(""),
    },
  );

export const template = (name: string, restartPolicy?: string): fc.Arbitrary<Content> =>
  fc.record({
    metadata: fc
      .tuple(mapOf(["team", "tier"]), some({ annotations: mapOf(["note", "example.com/checksum"]) }))
      .map(([labels, more]) => ({ labels: { ...labels, app: name }, ...more })),
    spec: podSpec(restartPolicy),
  });
