import { describe, expect, test } from "vitest";
import { test as property, fc } from "@fast-check/vitest";
import { Message } from "../documents/protobuf.ts";
import { decodeObject, ProtobufError } from "./index.ts";
import kubectl from "./testdata/kubectl.json" with { type: "json" };

/** The envelope round an object, as clients send it. */
function wrapped(apiVersion: string, kind: string, object: Message): Buffer {
  const type = new Message().text(1, apiVersion).text(2, kind);
  return Buffer.concat([Buffer.from("k8s\0"), new Message().message(1, type).message(2, object).bytes()]);
}

const entry = (key: string, value: Message) => new Message().text(1, key).message(2, value);

describe("what kubectl sends is what it would have written as JSON", () => {
  test.each(kubectl)("$command", ({ body, object }) => {
    const decoded = decodeObject(Buffer.from(body, "base64"));
    const { namespace: _, ...metadata } = decoded.metadata;
    const { namespace: _n, ...wanted } = object.metadata as Record<string, unknown>;
    expect({ ...decoded, metadata }).toEqual({ ...object, metadata: wanted });
  });
});

describe("an object", () => {
  test("keeps a zero that was said, and forgets one that JSON would not show", () => {
    // replicas is a pointer in Go and minReadySeconds is not.
    const spec = Buffer.from([0x08, 0x00, 0x28, 0x00]);
    const raw = Buffer.concat([Buffer.from([0x12, spec.length]), spec]);
    const type = new Message().text(1, "apps/v1").text(2, "Deployment").bytes();
    const bytes = Buffer.concat([
      Buffer.from("k8s\0"),
      Buffer.from([0x0a, type.length]),
      type,
      Buffer.from([0x12, raw.length]),
      raw,
    ]);
    expect(decodeObject(bytes)["spec"]).toEqual({ replicas: 0 });
  });

  test("has times with as many digits as its kind, and none where none is set", () => {
    const moment = new Message().integer(1, 1_795_262_400).integer(2, 123_456_789);
    const spec = new Message().text(1, "me").message(3, moment).message(4, new Message());
    const metadata = new Message().text(1, "lease").message(8, new Message()).message(9, moment);
    const lease = decodeObject(
      wrapped("coordination.k8s.io/v1", "Lease", new Message().message(1, metadata).message(2, spec)),
    );
    expect(lease).toEqual({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "lease", deletionTimestamp: "2026-11-21T12:00:00Z" },
      spec: { holderIdentity: "me", acquireTime: "2026-11-21T12:00:00.123456Z" },
    });
  });

  test("has negative numbers, embedded JSON, and fields of embedded structs", () => {
    const revision = new Message().integer(3, -5).message(2, new Message().text(1, '{"a":[1]}'));
    expect(decodeObject(wrapped("apps/v1", "ControllerRevision", revision))).toMatchObject({
      revision: -5,
      data: { a: [1] },
    });
    const reference = new Message().message(1, new Message().text(1, "settings")).text(2, "key");
    const variable = new Message().text(1, "A").message(3, new Message().message(3, reference));
    const pod = new Message().messages(2, [new Message().text(1, "c").messages(7, [variable])]);
    expect(decodeObject(wrapped("v1", "Pod", new Message().message(2, pod)))["spec"]).toEqual({
      containers: [
        { name: "c", env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "key" } } }] },
      ],
    });
  });

  test("has lists as values of maps", () => {
    const extra = [entry("scopes", new Message().texts(1, ["a", "b"]))];
    const review = new Message().message(2, new Message().text(3, "ann").messages(5, extra));
    expect(decodeObject(wrapped("authorization.k8s.io/v1", "SubjectAccessReview", review))["spec"]).toEqual({
      user: "ann",
      extra: { scopes: ["a", "b"] },
    });
  });

  test("may be options of any group", () => {
    const options = new Message().message(2, new Message().text(1, "uid")).text(4, "Foreground");
    expect(decodeObject(wrapped("apps/v1", "DeleteOptions", options))).toMatchObject({
      kind: "DeleteOptions",
      preconditions: { uid: "uid" },
      propagationPolicy: "Foreground",
    });
  });

  test("ignores fields of a later version", () => {
    const secret = new Message().text(3, "Opaque").text(99, "new");
    expect(decodeObject(wrapped("v1", "Secret", secret))).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: {},
      type: "Opaque",
    });
  });
});

describe("bytes that are no object", () => {
  test.each<{ name: string; bytes: Buffer; message: string }>([
    { name: "JSON", bytes: Buffer.from("{}"), message: "expected prefix" },
    {
      name: "another kind",
      bytes: wrapped("example.com/v1", "Widget", new Message()),
      message: 'no kind "Widget" is registered for version "example.com/v1"',
    },
    {
      name: "a field of another type",
      bytes: wrapped("v1", "Secret", new Message().integer(3, 1)),
      message: "wrong wireType",
    },
    {
      name: "embedded text that is no JSON",
      bytes: wrapped("apps/v1", "ControllerRevision", new Message().message(2, new Message().text(1, "{"))),
      message: "no JSON",
    },
  ])("$name are refused", ({ bytes, message }) => {
    expect(() => decodeObject(bytes)).toThrow(ProtobufError);
    expect(() => decodeObject(bytes)).toThrow(message);
  });

  const body = Buffer.from(kubectl[1]?.body ?? "", "base64");
  property.prop([fc.nat(body.length), fc.uint8Array({ maxLength: 8 })])(
    "are read, or refused with a reason, wherever they are damaged",
    (at, noise) => {
      const damaged = Buffer.concat([body.subarray(0, at), Buffer.from(noise), body.subarray(at + noise.length)]);
      try {
        expect(decodeObject(damaged).kind).toBeTypeOf("string");
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    },
  );
});
