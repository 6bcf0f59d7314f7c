/** Frames of RFC 6455, as a client writes and reads them. Pure, but for the mask that the caller gives. */

export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

/** Longer frames of a server are refused: a tunnel's have at most 32 KiB. */
export const LONGEST_FRAME = 1 << 20;

const FINAL = 0x80;
const MASKED = 0x80;
const MASK_BYTES = 4;

/** A whole message. A client has to mask its frames; `mask` has four bytes. */
export function frameOf(opcode: number, payload: Uint8Array, mask: Uint8Array): Buffer {
  const { length } = payload;
  const head =
    length < 126
      ? Buffer.from([FINAL | opcode, MASKED | length])
      : length < 65_536
        ? Buffer.from([FINAL | opcode, MASKED | 126, length >> 8, length & 0xff])
        : longHead(opcode, length);
  const frame = Buffer.concat([head, mask.subarray(0, MASK_BYTES), payload]);
  const start = head.length + MASK_BYTES;
  for (let index = 0; index < length; index += 1)
    frame[start + index] = (frame[start + index] ?? 0) ^ (mask[index % MASK_BYTES] ?? 0);
  return frame;
}

function longHead(opcode: number, length: number): Buffer {
  const head = Buffer.alloc(10);
  head[0] = FINAL | opcode;
  head[1] = MASKED | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

export interface Frame {
  isFinal: boolean;
  opcode: number;
  payload: Buffer;
}

/** Takes the bytes of a server as they come, and returns the frames that are complete. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** @throws {RangeError} for a frame that is masked or too long */
  take(chunk: Buffer): Frame[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    const bytes = this.#bytes;
    const [first, second] = bytes;
    if (first === undefined || second === undefined) return undefined;
    if ((second & MASKED) !== 0) throw new RangeError("a server must not mask its frames");
    const short = second & 0x7f;
    const start = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (bytes.length < start) return undefined;
    const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
    if (length > LONGEST_FRAME) throw new RangeError(`a frame has ${length} bytes`);
    if (bytes.length < start + length) return undefined;
    this.#bytes = bytes.subarray(start + length);
    return {
      isFinal: (first & FINAL) !== 0,
      opcode: first & 0x0f,
      payload: bytes.subarray(start, start + length),
    };
  }
}
