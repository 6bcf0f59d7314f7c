import type { KubeObject } from "../../src/apis/index.ts";

/** The parts of the metadata that a person writes. */
export interface Metadata {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/**
 * What the builders of all kinds share. A builder never changes: each step returns another one, so that a test can keep a common
 * beginning and go on from it in two ways.
 */
export abstract class Builder<Spec extends object, Self> {
  protected abstract readonly apiVersion: string;
  protected abstract readonly kind: string;
  protected readonly metadata: Metadata;
  protected readonly spec: Spec;

  constructor(metadata: Metadata, spec: Spec) {
    this.metadata = metadata;
    this.spec = spec;
  }

  protected abstract copy(metadata: Metadata, spec: Spec): Self;

  protected withSpec(change: Partial<Spec>): Self {
    return this.copy(this.metadata, { ...this.spec, ...change });
  }

  namespace(namespace: string): Self {
    return this.copy({ ...this.metadata, namespace }, this.spec);
  }

  label(key: string, value: string): Self {
    return this.copy({ ...this.metadata, labels: { ...this.metadata.labels, [key]: value } }, this.spec);
  }

  annotation(key: string, value: string): Self {
    return this.copy({ ...this.metadata, annotations: { ...this.metadata.annotations, [key]: value } }, this.spec);
  }

  /** The object as it is sent to an API server. */
  object(): KubeObject & { spec: Spec } {
    return structuredClone({
      apiVersion: this.apiVersion,
      kind: this.kind,
      metadata: this.metadata,
      spec: this.spec,
    });
  }
}
