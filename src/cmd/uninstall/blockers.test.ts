import { describe, expect, test } from "vitest";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { blockersOf, type DefinitionInUse } from "./blockers.ts";
import type { HeldCopy, Observed, UninstallChoice } from "./state.ts";
import { EMPTY_HUB } from "./testing/emptyHub.ts";
import { item } from "./testing/way.ts";

const drain: UninstallChoice = { objects: "Drain", keepCrds: false };
const orphan: UninstallChoice = { objects: "Orphan", keepCrds: false };
const IN_USE: DefinitionInUse = { member: "a", definition: "databases.example.com", object: "Database shop/theirs" };
const away = (deletionPolicy?: "Orphan") => ({
  ...item(MEMBERCLUSTERS, { name: "a" }),
  notReady: "ClusterUnreachable: connection refused",
  ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
});
const copy = (reason: string): HeldCopy => ({ cluster: "a", reason, message: "why" });
const application = (reason: string) => ({
  ...item(DEMOAPPLICATIONS, { namespace: "shop", name: "web" }),
  clusters: ["a"],
  keepsCopies: false,
  held: [copy(reason)],
  owner: false,
});
const binding = (reason: string) => ({
  ...item(RESOURCEBINDINGS),
  resource: "configmap shop/settings",
  clusters: ["a"],
  keepsCopies: false,
  held: [copy(reason)],
});

describe("what holds an uninstallation back", () => {
  test.each<{
    name: string;
    seen?: Partial<Observed>;
    inUse?: DefinitionInUse[];
    choice?: UninstallChoice;
    want: string[];
  }>([
    { name: "is nothing where all is well", seen: { members: [item(MEMBERCLUSTERS)] }, want: [] },
    {
      name: "is a member that is away, which can be orphaned",
      seen: { members: [away()] },
      want: ["member a is not ready (ClusterUnreachable: connection refused)", "meridian unjoin a --orphan"],
    },
    {
      name: "is a member that is away and would keep its marks",
      seen: { members: [away()] },
      choice: orphan,
      want: ["it may keep Meridian's marks and account", "bring it back first"],
    },
    {
      name: "is a copy from before its cluster was joined",
      seen: { applications: [application("FoundOnJoin")] },
      want: [
        "demoapplication shop/web stays on a: FoundOnJoin: why",
        "annotate membercluster a federation.paas.cmft.com/remove-found=true",
      ],
    },
    {
      name: "is a copy of any kind that somebody else owns",
      seen: { bindings: [binding("OtherOwner")] },
      want: ["configmap shop/settings stays on a: OtherOwner: why", "see to it on a"],
    },
    { name: "is no copy that is not well", seen: { applications: [application("PodsNotReady")] }, want: [] },
    { name: "is no copy that is to stay", seen: { bindings: [binding("OtherOwner")] }, choice: orphan, want: [] },
    {
      name: "is a definition of which others have objects",
      inUse: [{ ...IN_USE, owner: { kind: "ManifestBundle", namespace: "shop", name: "operator" } }],
      want: [
        "databases.example.com stays on a while Database shop/theirs",
        "annotate manifestbundle operator -n shop federation.paas.cmft.com/allow-crd-removal=databases.example.com",
      ],
    },
    { name: "is told without a way that nobody knows", inUse: [IN_USE], want: ["delete such objects on a"] },
    {
      name: "is nothing before somebody has said what becomes of the objects",
      seen: { members: [away()] },
      choice: { objects: "Refuse", keepCrds: false },
      want: [],
    },
  ])("$name", ({ seen = {}, inUse = [], choice = drain, want }) => {
    const blockers = blockersOf({ ...EMPTY_HUB, ...seen }, inUse, choice);
    expect(blockers).toHaveLength(Math.min(1, want.length));
    const text = blockers.map(({ what, way }) => `${what}\n${way}`).join("\n");
    for (const part of want) expect(text).toContain(part);
  });
});
