/**
 * Writes protobuf messages, with fields in the order of the calls. Empty strings, false and zero are omitted, as proto3
 * requires.
 */
export class Message {
  readonly #parts: Buffer[] = [];
  #length = 0;

  text(field: number, value: string | undefined): this {
    return value === undefined || value === "" ? this : this.#bytes(field, Buffer.from(value));
  }

  texts(field: number, values: readonly string[] | undefined): this {
    // An empty string in a list is written.
    for (const value of values ?? []) this.#bytes(field, Buffer.from(value));
    return this;
  }

  flag(field: number, value: boolean | undefined): this {
    return value === true ? this.#push(varint(field * 8), varint(1)) : this;
  }

  integer(field: number, value: number | undefined): this {
    return value === undefined || value === 0 ? this : this.#push(varint(field * 8), varint(value));
  }

  double(field: number, value: number | undefined): this {
    if (value === undefined || value === 0) return this;
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return this.#push(varint(field * 8 + 1), bytes);
  }

  message(field: number, value: Message | undefined): this {
    return value === undefined ? this : this.#bytes(field, value.bytes());
  }

  messages(field: number, values: Iterable<Message>): this {
    for (const value of values) this.message(field, value);
    return this;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }

  #bytes(field: number, value: Buffer): this {
    return this.#push(varint(field * 8 + 2), varint(value.length), value);
  }

  #push(...parts: Buffer[]): this {
    for (const part of parts) {
      this.#parts.push(part);
      this.#length += part.length;
    }
    return this;
  }
}

/** Seven bits per byte, lowest bits first; negative numbers as 64 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
