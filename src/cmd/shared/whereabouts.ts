/** A cluster in messages. */
export interface Whereabouts {
  /** `the hub`, or `member shanghai-1`. */
  name: string;
  server: string;
  /** `kubeconfig /home/me/hub.yaml, context blue` */
  origin: string;
  /** `choose another cluster with --kubeconfig or --context` */
  otherwise: string;
}

const known = new WeakMap<object, Whereabouts>();

export function tellWhere(error: unknown, whereabouts: Whereabouts): void {
  if (typeof error === "object" && error !== null) known.set(error, whereabouts);
}

/** Undefined for an error that came from no cluster. */
export function whereaboutsOf(error: unknown): Whereabouts | undefined {
  return typeof error === "object" && error !== null ? known.get(error) : undefined;
}

/** `the hub (https://10.0.0.1:6443, kubeconfig /home/me/hub.yaml, context blue)`. */
export function describeWhere({ name, server, origin }: Whereabouts): string {
  return `${name} (${server}, ${origin})`;
}
