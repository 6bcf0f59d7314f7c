import { type DemoApplication, type FieldProblem, type KubeObject, type ServicePort } from "../../apis/index.ts";
import { selectPlacement } from "../../desiredstate/index.ts";
import { schedule } from "../../scheduler/index.ts";
import type { AdmissionFacts, ApplicationFacts, Judgement } from "./types.ts";

/** Default range of kube-apiserver. */
const NODE_PORTS = { least: 30_000, most: 32_767 };

/** Node ports that other applications use on the same cluster. The schema refuses clashes within the application. */
export function judgePorts(application: DemoApplication, facts: AdmissionFacts, now: number): Judgement {
  const { ports = [] } = application.spec;
  return {
    problems: judgeNodePorts(application, ports, facts, now),
    warnings: ports.flatMap(({ nodePort }, index) =>
      nodePort === undefined || (nodePort >= NODE_PORTS.least && nodePort <= NODE_PORTS.most)
        ? []
        : [
            `spec.ports[${index}].nodePort: ${nodePort} is outside ${NODE_PORTS.least} to ${NODE_PORTS.most}; clusters refuse it unless their own range is another`,
          ],
    ),
  };
}

function judgeNodePorts(
  application: DemoApplication,
  ports: readonly ServicePort[],
  facts: AdmissionFacts,
  now: number,
): FieldProblem[] {
  const { name, namespace } = application.metadata;
  let reach: ReadonlySet<string> | undefined;
  return ports.flatMap(({ nodePort, protocol }, index) => {
    if (nodePort === undefined) return [];
    for (const other of facts.applicationsWithNodePort(nodePort)) {
      if (other.metadata.name === name && other.metadata.namespace === namespace) continue;
      if (!other.ports.some((port) => port.nodePort === nodePort && port.protocol === protocol)) continue;
      reach ??= clustersOf(application, facts, now);
      const shared = [...clustersOf(other, facts, now)].find((cluster) => reach?.has(cluster));
      if (shared === undefined) continue;
      // A tenant may learn that another tenant has the port, as the member would say too, but not which application.
      const isOwn = other.metadata.namespace === namespace;
      const whose = isOwn
        ? `DemoApplication ${namespace}/${other.metadata.name}`
        : "an application of another namespace";
      const message = `${nodePort}/${protocol} is taken on cluster ${shared} by ${whose}; choose another, or remove it and let each cluster choose`;
      return [{ field: `spec.ports[${index}].nodePort`, message }];
    }
    return [];
  });
}

/** Clusters of an application by its status; without a status, the clusters where it would be placed now. */
function clustersOf(
  application: DemoApplication | ApplicationFacts,
  facts: AdmissionFacts,
  now: number,
): ReadonlySet<string> {
  if ("clusters" in application && application.clusters.length > 0) return new Set(application.clusters);
  const object = application as unknown as KubeObject;
  const placement = selectPlacement(object, facts.placements, facts.settingOf(object));
  if (placement === undefined) return new Set();
  const subject = { labels: application.metadata.labels ?? {}, replicas: 1, current: new Map<string, undefined>() };
  const everywhere = { ...placement.spec, replicaScheduling: { mode: "Duplicated" as const } };
  return new Set(schedule(subject, everywhere, facts.clusters, now).clusters.map(({ name }) => name));
}
