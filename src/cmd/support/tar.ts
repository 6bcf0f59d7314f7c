/** A tar archive of plain files, in the format ustar. Pure. */

export interface ArchivedFile {
  /** At most 100 bytes. */
  name: string;
  text: string;
}

const BLOCK = 512;
const LONGEST_NAME = 100;

/** `at`: epoch milliseconds, the time of every file. Only the owner may read an unpacked file. */
export function tarOf(files: readonly ArchivedFile[], at: number): Buffer {
  const parts = files.flatMap(({ name, text }) => {
    const content = Buffer.from(text);
    return [headerOf(name, content.length, at), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(name: string, size: number, at: number): Buffer {
  if (Buffer.byteLength(name) > LONGEST_NAME) throw new RangeError(`${name} is too long for the archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string => value.toString(8).padStart(width - 1, "0");
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(Math.floor(at / 1_000), 12), 136);
  // The checksum counts itself as spaces.
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)}\u0000 `, 148);
  return header;
}
