import { describe, expect, test } from "vitest";
import { RESOURCES } from "../types.ts";
import { allowedParameters, parseQuery } from "./parse.ts";

const parse = (text: string, resource: Parameters<typeof parseQuery>[0] = "placedobjects") =>
  parseQuery(resource, new URLSearchParams(text));

describe("parameters", () => {
  test("make a query", () => {
    const text =
      "namespace=a,b&kind=apps/Deployment&name=shop&cluster=eu-1&region=eu&state=Failed&state=Degraded&reason=QuotaExceeded" +
      "&policy=near&waitingFor=contact&changedSince=1h30m&olderThan=2026-01-31T14:02:00Z&cel=object.ready>1" +
      "&labelSelector=tier%3Dgold&sort=-since&fields=state,reason&limit=7&continue=x.y";
    expect(parse(text)).toEqual({
      resource: "placedobjects",
      filter: {
        namespace: ["a", "b"],
        kind: ["apps/Deployment"],
        name: "shop",
        cluster: ["eu-1"],
        region: ["eu"],
        state: ["Failed", "Degraded"],
        reason: ["QuotaExceeded"],
        policy: ["near"],
        waitingFor: ["contact"],
        changedSince: { ago: 5_400_000 },
        olderThan: { at: Date.UTC(2026, 0, 31, 14, 2) },
        cel: "object.ready>1",
        labelSelector: [{ key: "tier", operator: "In", values: ["gold"] }],
      },
      sort: { field: "since", descending: true },
      fields: ["state", "reason"],
      limit: 7,
      continue: "x.y",
    });
  });

  test.each([
    ["", { resource: "placedobjects", filter: {}, limit: 100 }],
    ["limit=&sort=&continue=&name=", { resource: "placedobjects", filter: {}, limit: 100 }],
    ["groupBy=reason", { resource: "placedobjects", filter: {}, limit: 100, groupBy: "reason" }],
    ["fields=labels.tier", { resource: "placedobjects", filter: {}, limit: 100, fields: ["labels.tier"] }],
  ])("%s", (text, want) => expect(parse(text)).toEqual(want));

  test.each([
    ["names=a", 'unknown parameter "names" of placedobjects; allowed are namespace, kind, name,'],
    ["limit=501", 'limit takes a whole number from 1 to 500, not "501"'],
    ["limit=0", "limit takes a whole number from 1 to 500"],
    ["limit=1e2", "limit takes a whole number from 1 to 500"],
    ["groupBy=state", "groupBy takes region, cluster, reason, kind, namespace, policy"],
    ["groupBy=reason&limit=3", "limit does not go with groupBy"],
    ["cel=object.redy<1", 'cel: placedobjects have no field "redy"; the fields are kind, group,'],
    ["sort=labels", "sort takes name, kind, state,"],
    ["fields=secret", 'unknown field "secret" of placedobjects; allowed are kind,'],
    ["changedSince=yesterday", "changedSince takes a duration, such as 10m, or a time"],
    ["olderThan=10", "olderThan takes a duration"],
    ["olderThan=2026-13-01T00:00:00Z", "olderThan takes a duration"],
    ["name=a&name=b", "name is there twice"],
    ["state=Failed,degraded", 'Failed, Unknown, Removing, Held, not "degraded"'],
    ["waitingFor=Approval", "waitingFor takes contact, dependency, turn,"],
    ["namespace=,", "namespace has no value"],
    ["labelSelector=a%3D%3D%3Db", "labelSelector:"],
    [`cel=${"a".repeat(5_000)}`, "cel is longer than 4096 characters"],
    [`namespace=${Array.from({ length: 300 }, (_, at) => `n${at}`).join()}`, "namespace has more than 256 values"],
  ])("%s is refused, with what is allowed", (text, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ status: 400, reason: "BadRequest" }));
    expect(() => parse(text)).toThrow(message);
  });

  test("groups by cluster are asked of placed objects", () => {
    expect(() => parse("groupBy=cluster", "federatedobjects")).toThrow("ask placedobjects for groupBy=cluster");
  });

  test.each(RESOURCES)("of %s take no parameter of another resource", (resource) => {
    const allowed = allowedParameters(resource);
    const others = RESOURCES.flatMap(allowedParameters).filter((name) => !allowed.includes(name));
    for (const name of others) expect(() => parse(`${name}=x`, resource)).toThrow("unknown parameter");
  });

  test.each([
    { resource: "federatedobjects", states: "Available,Progressing,Degraded", other: "Failed" },
    { resource: "fleetclusters", states: "Ready,Pending,Unreachable", other: "Available" },
    { resource: "causes", states: "Held,Unknown", other: "Ready" },
    { resource: "transitions", states: "Ready,Held,Degraded", other: "Gone" },
  ] as const)("$resource have the states $states, and not $other", ({ resource, states, other }) => {
    expect(parse(`state=${states}`, resource).filter.state).toEqual(states.split(","));
    expect(() => parse(`state=${other}`, resource)).toThrow("state takes");
  });

  test("a stranger's text is cut in messages", () => {
    expect(() => parse(`${"x".repeat(4_000)}=1`)).toThrow(/^.{0,400}$/);
  });
});

test.each(["object.message.contains('object.nope')", 'has(object.reason) && "object.nope" != object.name', "true"])(
  "the expression %s names fields that rows have",
  (cel) => {
    expect(parse(new URLSearchParams({ cel }).toString()).filter.cel).toBe(cel);
  },
);
