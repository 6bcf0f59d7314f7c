/** The bytes are no protobuf message, or an unknown one. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** One field of an encoded message. */
export type WireField = { number: number } & (
  | { kind: "Varint"; value: bigint }
  | { kind: "Bytes"; value: Buffer }
  | { kind: "Fixed"; value: Buffer }
);

/** The fields of a message in order. Throws a {@link ProtobufError} when the bytes end too early. */
export function* fieldsOf(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new ProtobufError("unexpected EOF");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new ProtobufError("proto: integer overflow");
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new ProtobufError("unexpected EOF");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { number, kind: "Varint", value: varint() };
        break;
      case 1:
        yield { number, kind: "Fixed", value: take(8) };
        break;
      case 2:
        yield { number, kind: "Bytes", value: take(Number(varint())) };
        break;
      case 5:
        yield { number, kind: "Fixed", value: take(4) };
        break;
      default:
        throw new ProtobufError(`proto: illegal wireType ${tag % 8}`);
    }
  }
}
