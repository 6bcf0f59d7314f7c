import type { LabelSelector } from "../../labelSelectors.ts";
import { defined, type KubeObject } from "../../../apis/index.ts";
import { type Context, isAlreadyExists, isNotFound } from "./context.ts";
import { templateHash } from "./hash.ts";
import { sameValue } from "./matching.ts";
import { byCreation, compare, CONTROLLER_REVISIONS, controllerReference, type PodTemplate, uidOf } from "./objects.ts";
import { claim, isTerminating } from "./pods.ts";

/** A current or former template of a StatefulSet or DaemonSet. */
export interface ControllerRevision extends KubeObject {
  revision: number;
  data: { spec: { template: PodTemplate } };
}

interface Owner extends KubeObject {
  spec: { selector: LabelSelector; template: PodTemplate };
}

export interface History {
  /** The revision of the current template. */
  update: ControllerRevision;
  /** All revisions, oldest first. */
  revisions: ControllerRevision[];
  /** Number of hash collisions with other templates. */
  collisions: number;
}

/**
 * Finds the revision of the owner's template or creates it. A revision whose template came back becomes the newest.
 * `hashLabel`: the label that holds the hash.
 */
export async function syncHistory(
  context: Context,
  owner: Owner,
  hashLabel: string,
  knownCollisions: number,
): Promise<History> {
  const { template, selector } = owner.spec;
  const revisions = await claim<ControllerRevision>(context, owner, CONTROLLER_REVISIONS, selector);
  revisions.sort(byRevision);
  const newest = revisions.at(-1);
  const known = revisions.findLast(({ data }) => isTemplate(data.spec.template, template));
  const next = (newest?.revision ?? 0) + 1;
  if (known === undefined) {
    const { created, collisions } = await create(context, owner, hashLabel, next, knownCollisions);
    return { update: created, revisions: [...revisions, created], collisions };
  }
  if (known === newest) return { update: known, revisions, collisions: knownCollisions };
  const renewed = { ...known, revision: next };
  const update = (await context.client.update(CONTROLLER_REVISIONS, renewed)) as ControllerRevision;
  const others = revisions.filter((revision) => revision !== known);
  return { update, revisions: [...others, update], collisions: knownCollisions };
}

/** Deletes the oldest revisions without pods, beyond `limit`. */
export async function truncateHistory(
  { client }: Context,
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: number,
): Promise<void> {
  const idle = revisions.filter((revision) => !isLive(revision) && !isTerminating(revision));
  for (const { metadata } of idle.slice(0, Math.max(0, idle.length - limit))) {
    try {
      await client.delete(CONTROLLER_REVISIONS, metadata.namespace, metadata.name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** The template of a revision, for its pods. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { $patch: _patch, ...template } = data.spec.template as PodTemplate & { $patch?: string };
  return template;
}

async function create(
  { client }: Context,
  owner: Owner,
  hashLabel: string,
  revision: number,
  knownCollisions: number,
): Promise<{ created: ControllerRevision; collisions: number }> {
  const { template } = owner.spec;
  const { namespace, annotations } = owner.metadata;
  for (let collisions = knownCollisions; ; collisions++) {
    const hash = templateHash(template, collisions);
    const name = `${owner.metadata.name.slice(0, 223)}-${hash}`;
    const object: ControllerRevision = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name,
        ...defined({ namespace }),
        labels: { ...template.metadata?.labels, [hashLabel]: hash },
        ...defined({ annotations }),
        ownerReferences: [controllerReference(owner)],
      },
      data: { spec: { template: { ...template, $patch: "replace" } as PodTemplate } },
      revision,
    };
    try {
      return { created: (await client.create(CONTROLLER_REVISIONS, object)) as ControllerRevision, collisions };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const there = client.get(CONTROLLER_REVISIONS, namespace, name) as ControllerRevision | undefined;
      const isMine = there?.metadata.ownerReferences?.some(({ uid }) => uid === uidOf(owner)) === true;
      if (isMine && isTemplate(there.data.spec.template, template)) return { created: there, collisions };
    }
  }
}

function isTemplate(recorded: PodTemplate, template: PodTemplate): boolean {
  return sameValue({ ...recorded, $patch: undefined }, template);
}

function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return compare(a.revision, b.revision) || byCreation(a, b);
}
